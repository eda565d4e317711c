#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every header that has behaviour has a test: tests/<room>/<its name>.cpp, or the one below.
Kernels, and what calls them, may be seen in one test of their family's name: tests/operators/,
tests/kernels/ or tests/vocabulary/.

Behaviour is a function with a body. A test that the table below names must include the header,
directly or by way of others, and an entry must be needed: a header that has a test of its own name,
has no behaviour or is not there, is none. `--self-test` plants each of these.
"""
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^#include [<"](?:ipu_dsl/)?([^>"]+)[>"]', re.MULTILINE)
FUNCTION = re.compile(r"\)\s*(?:const)?\s*(?:noexcept(?:\([^)]*\))?)?\s*(?:->[^{;]+)?\{\s*[^\s}]")

# By room: what is part of one thing, and is seen through the test of that thing. A folder, with "/"
# behind it, stands for all in it that the table does not name.
ELSEWHERE = {
    # The schedules that share these are compared with rows, bounds and proofs.
    "catalogue/catalogue_entry": "catalogue/catalogue",
    "catalogue/chunk_rows": "catalogue/looped",
    "catalogue/gap_filler": "catalogue/v_shape",
    "catalogue/least_makespan": "catalogue/list_scheduler",
    "catalogue/list_run": "catalogue/list_scheduler",
    "catalogue/list_task": "catalogue/list_scheduler",
    "catalogue/one_stage_a_device": "catalogue/fill",
    "catalogue/v_blocks": "catalogue/v_shape",
    # Plain arrays are tested where models take several.
    "core/arrays": "training/several_outputs",
    # What makes an error is tested where the sentences are.
    "core/parameter_rules": "vocabulary/regularization",
    "core/diagnose": "model/model_parts",
    "core/error": "core/problem",
    "core/given_extents": "core/whole_number",
    # What a feed of several inputs or targets is made of.
    "data/batch_feed": "data/feed",
    "data/array_dataset": "data/over_arrays",
    "data/columns": "data/zipped_dataset",
    "data/column_checks": "data/zipped_dataset",
    "data/data_source": "data/zipped_dataset",
    # A digit is drawn by all of them together.
    "data/digit_drawing": "data/digits",
    "data/digit_hand": "data/digits",
    "data/draw_digit": "data/digits",
    # What outfeeds and loops are told, and how they take from a feed.
    "training/counted_feed": "training/outfeed",
    "training/loops": "training/outfeed",
    "training/training_outfeed": "training/outfeed",
    "training/null_feed": "training/dataset_benchmark",
    "training/gradient_sums": "training/gradients_in_hand",
    "training/progress_count": "training/session_turn",
    "training/array_data": "training/array_calls",
    # Parts of the one engine.
    "training/update_losses": "training/session",
    "training/run_numbers": "training/run_values",
    "training/update_hook": "training/hooks",
    # What is said where a feed is wanted.
    "core/feed_fault": "queues/infeed_queue",
    # What both ends of a queue sleep on.
    "queues/feed_anchors": "queues/infeed_queue",
    "queues/infeed_memory": "queues/infeed_queue",
    "queues/queue_alarm": "queues/infeed_queue",
    # A queue that is made when it is first asked.
    "queues/woken_infeed": "data/prefetched",
    # Names are looked up to be compared with the weights that have them.
    "hana/literals": "hana/weights",
    "hana/weight_names": "hana/weights",
    "hana/weight_view": "hana/weights",
    # What all that load by name have in common.
    "exchange/array_file": "exchange/weights_by_name",
    "exchange/array_part": "exchange/weights_by_name",
    "exchange/keras": "exchange/weights_by_name",
    "exchange/load_report": "exchange/weights_by_name",
    "exchange/loaded_model": "compile_fail/load_pytorch_of_compiled_model",
    "exchange/loading": "exchange/weights_by_name",
    "exchange/model_parameters": "exchange/pytorch",
    "exchange/rtneural_steps": "exchange/rtneural",
    # The parts of a format, of which a file has all.
    "formats/json_text": "formats/rtneural",
    "formats/npy_conversion": "formats/npy",
    "formats/npy_header": "formats/npy",
    "formats/safetensors_header": "formats/safetensors",
    "formats/zip_reader": "formats/zip",
    "formats/zip_record": "formats/zip",
    "formats/zip_writer": "formats/zip",
    # Plain structs with a question or two, which the builder fills and the lowering asks.
    "graph/access": "plan/nest_map",
    "graph/buffer_index": "plan/own_layers",
    "graph/buffer_ref": "plan/own_layers",
    "graph/call": "plan/shared_layers",
    "graph/call_draft": "plan/access_fault",
    "graph/emitter": "plan/definition",
    "graph/family": "graph/builder",
    "graph/graph": "graph/builder",
    "graph/name_letters": "model/layer_name",
    "graph/lowering_facts": "plan/lowering",
    "graph/masks": "vocabulary/masking",
    "graph/node_draft": "graph/builder",
    "graph/constraint": "training/constraints",
    "graph/penalty": "training/regularizers",
    "graph/sequence_views": "vocabulary/time_distributed",
    "graph/tensor": "graph/builder",
    "graph/transfer": "plan/lowering",
    # Tiles and loops, which the kernels made of them are compared with references for, at all edges.
    "kernels/arithmetic": "kernels/update",
    "kernels/dense_forward_few_units": "kernels/dense_few_units",
    "kernels/dense_forward_sample": "kernels/dense_forward",
    "kernels/dense_weight_gradient_few_units": "kernels/dense_few_units",
    "kernels/floating_bits": "kernels/simd",
    "kernels/gated_step": "kernels/lstm_step",
    "kernels/gru_reset_first": "kernels/gru_step",
    "kernels/outer_product_tile": "kernels/dense_weight_gradient",
    "kernels/permute": "kernels/resize",
    "kernels/paired_vectors": "kernels/activation",
    "kernels/pooling_gradient": "kernels/pooling",
    "kernels/portable_vector": "kernels/simd",
    "kernels/prefetch": "kernels/update",
    "kernels/prelu": "training/shapes",
    "kernels/product_tile": "kernels/dense_forward",
    "kernels/batch_normalization_channels": "kernels/batch_normalization",
    "kernels/channel_moments": "kernels/batch_normalization",
    "kernels/channel_sums": "kernels/batch_normalization",
    "kernels/chain_sums": "kernels/layer_normalization",
    "kernels/row_sum": "kernels/pointwise",
    "kernels/group_layout": "operators/conv2d",
    "kernels/group_tile": "operators/conv2d_ways",
    "kernels/lanewise_product": "operators/conv2d",
    "kernels/lanewise_tile": "operators/conv2d",
    "kernels/line_copies": "operators/conv2d_ways",
    "kernels/line_runs": "operators/conv2d",
    "kernels/line_tiles": "operators/conv2d",
    "kernels/paired_gradient": "operators/conv2d",
    "kernels/pixelwise_cut": "operators/conv2d_ways",
    "kernels/pixelwise_inner": "operators/conv2d_ways",
    "kernels/pixelwise_planes": "operators/conv2d_ways",
    "kernels/pixelwise_product": "operators/conv2d",
    "kernels/pixelwise_tile": "operators/conv2d_ways",
    "kernels/resident_sums": "operators/conv2d_ways",
    "kernels/separable_product": "operators/separable_conv2d",
    "kernels/tap_blocks": "operators/conv2d",
    "kernels/tap_gradient": "operators/conv2d",
    "kernels/tap_gradient_rows": "operators/conv2d_ways",
    "kernels/tap_gradient_tile": "operators/conv2d",
    "kernels/held_weights": "operators/conv2d",
    "kernels/window_gradient": "operators/conv2d",
    "kernels/window_gradient_row": "operators/conv2d_ways",
    "kernels/window_gradient_tap": "operators/conv2d",
    "kernels/window_gradient_tiles": "operators/conv2d",
    "kernels/group_gradient": "operators/conv2d_groups",
    "kernels/window_product": "operators/conv2d",
    "kernels/window_taps": "operators/conv2d",
    "kernels/xsimd_vector": "kernels/simd",
    # Which kernel a pooling is, in models.
    "operators/pooling": "training/pooling",
    # What recurrent layers share.
    "vocabulary/layers/attention_inputs": "vocabulary/multi_head_attention",
    "vocabulary/layers/recurrence": "vocabulary/lstm",
    "vocabulary/layers/recurrent_options": "vocabulary/lstm",
    # Products of rows, in a model.
    "kernels/dot": "training/dots",
    "operators/dot": "training/dots",
    # Steps that are none, in models.
    "kernels/masked_steps": "training/masks",
    "operators/masked_steps": "training/masks",
    "vocabulary/layers/masked_steps": "training/masks",
    "vocabulary/layers/sequence_ends": "training/gradients_lstm",
    "vocabulary/layers/sequence_input": "vocabulary/masking",
    # The walk of a model, and what refuses other types.
    "model/assembly": "model/model",
    "model/at_steps": "vocabulary/time_distributed",
    "model/one_step": "inference/one_step",
    "model/changed_model": "model/split_at",
    "model/bare_layer": "model/functional",
    "model/check_combinator": "model/functional",
    "model/compose": "model/model",
    "model/functional_builder": "model/functional",
    "model/other_type": "model/model_parts",
    "model/refused_calls": "model/functional",
    "model/symbolic_tensor": "model/functional",
    "model/stage_numbers": "model/stage_assignment",
    # Data of data compose: each is seen with the others.
    "data/adaptor": "data/mapped",
    "data/cached": "data/mapped",
    "data/concatenated": "data/mapped",
    "data/data_reference": "data/mapped",
    "data/element_form": "data/mapped",
    "data/npy_columns": "data/over_arrays",
    "data/picked": "data/mapped",
    "data/sample_reader": "data/mapped",
    "data/windowed": "data/mapped",
    # A feed that goes on behind its end.
    "training/spare_sample": "training/checked_feed",
    # They hand a call to kernels: seen in steps, with real models, against float64.
    "operators/activation": "training/gradients_layers",
    "operators/batch_normalization": "training/batch_normalization",
    "operators/counting": "training/bits_row_losses",
    "operators/dense": "training/gradients_layers",
    "operators/dropout": "training/gradients_layers",
    "operators/feed": "training/checked_feed",
    "operators/final_value": "operators/open_set",
    "operators/join": "training/gradients_joins",
    "operators/merge": "training/shapes",
    "operators/losses/sparse_categorical_crossentropy": "training/gradients_losses",
    "operators/metrics/accuracy": "training/numbers_small",
    "operators/operators": "operators/open_set",
    "operators/parameter_sums": "vocabulary/lamb",
    "operators/noise": "training/shapes",
    "operators/prelu": "training/shapes",
    "operators/permute": "training/shapes",
    "operators/resize": "training/shapes",
    "operators/pointwise": "training/numbers_regression",
    "operators/rowwise": "training/gradients_row_losses",
    "operators/rescaling": "training/bytes",
    "operators/sample_weights": "training/sample_weights",
    "operators/run_context": "operators/embedding",
    "operators/group_normalization": "training/normalization",
    "operators/layer_normalization": "training/normalization",
    "operators/multi_head_attention": "training/multi_head_attention",
    "operators/position_embedding": "training/multi_head_attention",
    "operators/gru": "training/gradients_gru",
    "operators/lstm": "training/gradients_lstm",
    "operators/recurrence": "training/gradients_lstm",
    "operators/sequence_ends": "training/gradients_lstm",
    "operators/simple_rnn": "training/gradients_simple_rnn",
    "operators/update": "operators/open_set",
    # A model made of another, and its weights: judged by what is predicted.
    "model/normalization_folded": "inference/normalization_folded",
    "model/normalization_folder": "inference/normalization_folded",
    "runtime/folded_weights": "inference/normalization_folded",
    # Stages of one compilation, each of which hands its result to the next.
    "plan/access_view": "plan/access_fault",
    "plan/buffer_size": "plan/memory",
    "plan/forward_ways": "plan/lowering",
    "plan/gradient_ways": "plan/lowering",
    "plan/compiled_model": "plan/schedules",
    "plan/compile": "plan/schedules",
    "plan/planned_programs": "plan/large_proof",
    "plan/lifetime": "plan/memory",
    "plan/live_nodes": "plan/lowering",
    "plan/lowered_program": "plan/code_table",
    "plan/program_limit": "plan/schedules",
    "plan/program_plan": "plan/large_proof",
    "plan/program_plan_view": "plan/large_proof",
    "plan/proven_slots": "plan/large_proof",
    "plan/reported_names": "plan/loss",
    "plan/result_choice": "plan/loss",
    "plan/run_settings": "plan/schedules",
    "plan/run_values": "vocabulary/scale_by_value",
    "plan/stage_cost": "plan/automatic_stages",
    "plan/unproven_programs": "plan/large_proof",
    # Parts of one picture or page, which is compared with its golden.
    "report/action_name": "report/chrome_trace",
    "report/compared_model": "report/drawn_timeline",
    "report/comparison_text": "report/compared_run",
    "report/drawn_model": "report/drawn_timeline",
    "report/drawn_trace": "report/drawn_timeline",
    "report/fact_text": "report/drawn_timeline",
    "report/timeline_bars": "report/timeline_svg",
    "report/timeline_layout": "report/timeline_svg",
    "report/timeline_notes": "report/timeline_svg",
    "report/timeline_palette": "report/timeline_svg",
    # What a predictor, a session and the check of tiles are made of.
    "runtime/block_check": "training/check_tiles_declarations",
    "runtime/continued_sums": "training/check_tiles_kernels",
    "runtime/copied_call": "training/check_tiles_kernels",
    "runtime/execution_step": "runtime/execution_table",
    "runtime/forks": "runtime/abort",
    "runtime/kernel_table": "runtime/execution_table",
    "runtime/laid_out_floats": "inference/weights_header",
    "runtime/operand_memory": "training/check_tiles_declarations",
    "runtime/parameter_shapes": "inference/weights_exchange",
    "runtime/pinning": "runtime/processors",
    "runtime/prediction": "inference/predictor",
    "runtime/prediction_code": "inference/refusals",
    "runtime/const_predictor": "compile_fail/predictor_that_is_const",
    "runtime/parameter_faults": "compile_fail/weights_that_are_const",
    "runtime/prediction_faults": "inference/predictor",
    "runtime/prediction_run": "inference/several",
    "runtime/reached_elements": "training/check_tiles_declarations",
    "runtime/slot_tenancy": "runtime/execution_table",
    "runtime/subnormals": "inference/subnormals",
    "runtime/weights": "inference/weights",
    "runtime/weights_exchange": "inference/weights_exchange",
    # Tables and runs of the proof, which is compared with a simulation written apart from it.
    "schedule/analysis": "schedule/slots",
    "schedule/dependences": "schedule/proof",
    "schedule/in_order_run": "schedule/proof",
    "schedule/latest_starts": "schedule/slots",
    "schedule/partition/balanced_partition": "schedule/partition",
    "schedule/partition/scheduled_partition": "schedule/partition",
    "schedule/row_checks": "schedule/proof",
    "schedule/run_input": "schedule/slots",
    "schedule/run_state": "schedule/proof",
    "schedule/schedule_rules": "schedule/way_out",
    "schedule/schedule_type": "schedule/way_out",
    "schedule/step_checks": "schedule/proof",
    "schedule/step_table": "schedule/proof",
    "schedule/verdict": "schedule/proof",
    "schedule/whole_study": "schedule/large_study",
    "schedule/worker_rows": "schedule/waits",
    # The same in pieces, compared with the whole.
    "schedule/pieces/analysis_pieces": "schedule/large_pieces",
    "schedule/pieces/frozen_dependences": "schedule/large_pieces",
    "schedule/pieces/order_pieces": "plan/large_proof",
    "schedule/pieces/row_pieces": "schedule/large_rows",
    "schedule/pieces/run_pieces": "schedule/large_pieces",
    "schedule/pieces/schedule_rows": "schedule/large_rows",
    "schedule/pieces/slot_pieces": "plan/large_proof",
    "schedule/pieces/wait_pieces": "plan/large_proof",
    "schedule/pieces/walk_pieces": "schedule/large_pieces",
    # Parts of a reader, of a writer, of a run over channels.
    "study/channels/channel_plan": "study/channels",
    "study/channels/channel_run": "study/channels",
    "study/makespan_bound": "study/critical_path",
    "study/text/csv_header": "study/csv_reader",
    "study/text/csv_refusal": "study/csv_writer",
    "study/text/schedule_assembly": "study/csv_round_trip",
    # What a session is made of.
    # Ready ones are tried together, on an engine that does nothing.
    # Whether somebody looks is asked by the progress bar.
    "formats/terminal": "training/callbacks",
    "training/callbacks/": "training/callbacks",
    "training/callbacks/asynchronous": "training/hooks",
    "training/callback_list": "training/hooks",
    "training/fit_rules": "training/hooks",
    "training/training_run": "training/hooks",
    "training/validation_data": "training/hooks",
    "training/model_arrays": "training/several_outputs",
    "training/program_code": "training/session",
    "training/session_parts": "training/stage_code",
    "training/stage_definition": "training/stage_code",
    "training/result_sums": "training/numbers",
    "training/saved_training_definition": "training/resume",
    "training/training_course": "training/resume",
    "training/training_file": "training/resume",
    "training/session_resources": "training/session",
    "training/session_core": "training/session",
    "training/session_engine": "training/session",
    "training/session_engine_definition": "training/session",
    "training/session_refusal": "training/session",
    "training/options_elsewhere": "training/array_calls",
    "training/braced_calls": "training/array_calls",
    "training/calls_elsewhere": "training/array_calls",
    "training/const_calls": "compile_fail/session_that_is_const",
    "training/session_calls": "training/session",
    "training/session_faults": "training/session",
    "training/session_source": "training/session",
    "training/weights_header": "inference/weights_header",
    # Options that layers share, and families that the pointwise rules are written in.
    "vocabulary/layers/activity_regularization": "training/asked_of_tables",
    "vocabulary/layers/normalization_options": "vocabulary/layer_normalization",
    "vocabulary/layers/asked_of_weights": "vocabulary/constraints",
    "vocabulary/layers/asking_option": "vocabulary/constraints",
    "vocabulary/layers/convolution": "vocabulary/conv2d",
    "vocabulary/layers/convolution_checks": "vocabulary/conv2d",
    "vocabulary/layers/paired_shapes": "vocabulary/merge",
    "vocabulary/layers/convolution_rules": "vocabulary/conv2d",
    "vocabulary/layers/weights": "vocabulary/dense",
    "vocabulary/layers/window_options": "vocabulary/conv2d",
    "vocabulary/layers/position_product": "vocabulary/dense",
    "vocabulary/optimizers/decays": "vocabulary/adamw",
    "vocabulary/optimizers/each_parameter": "vocabulary/sgd",
    "vocabulary/optimizers/moments": "vocabulary/adam",
    # Rules of losses and metrics, all of them over the same rows, and what they share.
    "vocabulary/losses/": "vocabulary/losses",
    "vocabulary/metrics/": "vocabulary/metrics",
    "vocabulary/confusion": "vocabulary/metrics",
    "vocabulary/counting": "vocabulary/metrics",
    "vocabulary/metric": "vocabulary/metrics",
    "vocabulary/last_axis": "training/crossentropy_positions",
    "vocabulary/rowwise": "vocabulary/losses",
    "vocabulary/activity_penalty": "training/activity_regularizers",
    "vocabulary/sample_weights": "training/sample_weights",
    "vocabulary/rule_words": "vocabulary/losses",
    "vocabulary/scores": "vocabulary/metrics",
    "vocabulary/result_check": "vocabulary/pointwise",
    "vocabulary/threshold": "vocabulary/metrics",
    "vocabulary/top_k": "vocabulary/metrics",
}


def test_of(header, elsewhere):
    """The entry of a header, or of its folder; none is None."""
    return elsewhere.get(header, elsewhere.get(header.rpartition("/")[0] + "/"))


def test_names(header):
    """A header, and the one that it is a part of: x_interface.hpp and x_definition.hpp of x."""
    stem = header.split("/")[-1]
    return {stem, re.sub(r"_(interface|definition)$", "", stem)}


# What a family is made of, under one name: its code, and where that may be seen.
ROOMS_OF_CODE = ("operators", "kernels")
ROOMS_OF_FAMILIES = ("vocabulary", *ROOMS_OF_CODE)


def has_own_test(header, headers, root):
    """Whether a test of its name is in its room or, of a family's code, in another of the family."""
    room = header.split("/")[0]
    if any((root / "tests" / room / f"{name}.cpp").is_file() for name in test_names(header)):
        return True
    tests = [root / "tests" / other / f"{header.split('/')[-1]}.cpp" for other in ROOMS_OF_FAMILIES]
    return room in ROOMS_OF_CODE and any(
        test.is_file() and header in seen_from(test, headers, root) for test in tests)


def seen_from(path, headers, root):
    """The headers that a test includes, directly or by way of others."""
    found = set()
    waiting = INCLUDE.findall(path.read_text())
    while waiting:
        include = waiting.pop()
        name = include.removesuffix(".hpp")
        if name in found:
            continue
        if name in headers:
            found.add(name)
            waiting += INCLUDE.findall(headers[name])
        elif (root / "tests" / include).is_file():
            found.add(name)
            waiting += INCLUDE.findall((root / "tests" / include).read_text())
    return found


def check(root, elsewhere):
    """One sentence for each fault, and how many headers have a test of their own, of another name."""
    folder = root / "include" / "ipu_dsl"
    headers = {path.relative_to(folder).as_posix().removesuffix(".hpp"): path.read_text()
               for path in folder.rglob("*.hpp")}
    faults = []
    own = other = 0
    needed = set()
    for header, text in sorted(headers.items()):
        room = header.split("/")[0]
        if "/" not in header or not FUNCTION.search(re.sub(r"//.*", "", text)):
            continue
        if has_own_test(header, headers, root):
            own += 1
            continue
        needed |= {header} if header in elsewhere else {header.rpartition("/")[0] + "/"}
        named = test_of(header, elsewhere)
        if named is None:
            faults.append(f"{header}.hpp: has behaviour and no test, tests/{room}/"
                          f"{header.split('/')[-1]}.cpp or one that the table names")
            continue
        test = root / "tests" / f"{named}.cpp"
        if not test.is_file():
            faults.append(f"{header}.hpp: its test {named}.cpp is not there")
        elif header not in seen_from(test, headers, root):
            faults.append(f"{header}.hpp: its test {named}.cpp does not include it")
        other += 1
    faults += [f"{header}: needs no entry in the table" for header in sorted(elsewhere)
               if header not in needed]
    return faults, own, other


def self_test():
    body = "inline int f() { return 1; }\n"
    planted = [
        ({"include/ipu_dsl/core/a.hpp": body}, {}, "core/a.hpp: has behaviour and no test"),
        ({"include/ipu_dsl/core/a.hpp": body}, {"core/a": "core/b"}, "core/b.cpp is not there"),
        ({"include/ipu_dsl/core/a.hpp": body, "tests/core/b.cpp": "int b;\n"},
         {"core/a": "core/b"}, "core/b.cpp does not include it"),
        ({"include/ipu_dsl/core/a.hpp": "struct a {};\n"}, {"core/a": "core/b"}, "needs no entry"),
        ({"include/ipu_dsl/core/b/a.hpp": body, "tests/core/b.cpp": "#include <ipu_dsl/core/b/a.hpp>"},
         {"core/b/": "core/b"}, None),
        ({"include/ipu_dsl/core/a.hpp": "struct a {};\n"}, {"core/b/": "core/b"}, "needs no entry"),
        ({"include/ipu_dsl/core/a_interface.hpp": body, "tests/core/a.cpp": ""}, {}, None),
        ({"include/ipu_dsl/core/a.hpp": body,
          "include/ipu_dsl/core/c.hpp": "#include <ipu_dsl/core/a.hpp>\n",
          "tests/core/b.cpp": "#include <ipu_dsl/core/c.hpp>\n"}, {"core/a": "core/b"}, None),
        ({"include/ipu_dsl/kernels/a.hpp": body,
          "tests/operators/a.cpp": "#include <ipu_dsl/kernels/a.hpp>\n"}, {}, None),
        ({"include/ipu_dsl/vocabulary/a.hpp": body,
          "tests/kernels/a.cpp": "#include <ipu_dsl/vocabulary/a.hpp>\n"}, {},
         "vocabulary/a.hpp: has behaviour and no test"),
        ({"include/ipu_dsl/kernels/a.hpp": body, "tests/operators/a.cpp": "int a;\n"}, {},
         "kernels/a.hpp: has behaviour and no test"),
        ({"include/ipu_dsl/kernels/a.hpp": body,
          "tests/core/a.cpp": "#include <ipu_dsl/kernels/a.hpp>\n"}, {},
         "kernels/a.hpp: has behaviour and no test"),
    ]
    misjudged = 0
    for files, elsewhere, expected in planted:
        with tempfile.TemporaryDirectory() as temporary:
            root = pathlib.Path(temporary)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            faults = check(root, elsewhere)[0]
        right = not faults if expected is None else any(expected in fault for fault in faults)
        misjudged += not right
        print(f"{'right' if right else 'WRONG'}: {faults or 'no fault'}")
    print(f"checked {len(planted)} planted faults, {misjudged} misjudged")
    return 1 if misjudged else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    faults, own, other = check(ROOT, ELSEWHERE)
    print("\n".join(faults))
    print(f"checked {own + other} headers with behaviour: {own} have a test of their name, {other} "
          f"one of another, {len(faults)} faults")
    return 1 if faults or own == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
