/**
 * @module
 * Tests under Stryker end at the first failing example. Which example is the smallest does not matter here.
 */

import fc from 'fast-check';

fc.configureGlobal({ endOnFailure: true });
