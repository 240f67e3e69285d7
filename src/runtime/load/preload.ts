/**
 * @module
 * What a worker thread runs before its own script, if the process has loaded files of the user.
 */

import { loadInThread } from './load-definitions.ts';

await loadInThread();
