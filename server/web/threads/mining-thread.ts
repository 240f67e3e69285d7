/**
 * @module
 * This folder contains the thread of the pages that make keys: races, and the search for the key of the reader's node.
 * It is one script, so that a browser loads the mining code once.
 */

import '../elections/own/miner.ts';
import { clocks, kernelSource, serveRaces } from '../race/racer.ts';

serveRaces(async () => ({ clocks, kernels: await kernelSource() }));
