# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of lit whose commands see the mutant, and a file for what each test reaches."""

import os

import lit.formats


class WithMutant(lit.formats.ShTest):
    def execute(self, test, lit_config):
        environment = test.config.environment
        if folder := os.environ.get("QDQ_MUTANT_TRACE"):
            environment["QDQ_MUTANT_TRACE"] = f"{folder}/{'@'.join(test.path_in_suite)}"
        if mutant := os.environ.get("QDQ_MUTANT"):
            environment["QDQ_MUTANT"] = mutant
        return super().execute(test, lit_config)
