/**
 * @module
 * The laws of epochs at full length: what the quick tests sample.
 */

import { describeEpochLaws } from './laws.ts';

describeEpochLaws({ runs: 40_000, stockRuns: 20_000 });
