/**
 * @module
 * A thread that simulates elections and measures their costs.
 */

import { measureElections } from '../../experiment/design/cost.ts';
import { serveRanges } from './range-pool.ts';

serveRanges(() => measureElections);
