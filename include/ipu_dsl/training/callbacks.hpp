// SPDX-License-Identifier: MIT
// All ready callbacks. A program that uses none includes nothing of them.
#pragma once

#include <ipu_dsl/training/callbacks/asynchronous.hpp>
#include <ipu_dsl/training/callbacks/backup_and_restore.hpp>
#include <ipu_dsl/training/callbacks/csv_logger.hpp>
#include <ipu_dsl/training/callbacks/early_stopping.hpp>
#include <ipu_dsl/training/callbacks/json_lines.hpp>
#include <ipu_dsl/training/callbacks/learning_rate_scheduler.hpp>
#include <ipu_dsl/training/callbacks/model_checkpoint.hpp>
#include <ipu_dsl/training/callbacks/progress_bar.hpp>
#include <ipu_dsl/training/callbacks/reduce_lr_on_plateau.hpp>
#include <ipu_dsl/training/callbacks/terminate_on_nan.hpp>
