// SPDX-License-Identifier: MIT
// Whether the tests are built with a sanitizer that replaces allocation or threads: it ends a
// program that asks for too much memory, and takes address space of its own.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IPU_DSL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IPU_DSL_SANITIZED 1
#endif
#endif
#if !defined(IPU_DSL_SANITIZED)
#define IPU_DSL_SANITIZED 0
#endif
