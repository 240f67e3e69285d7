/**
 * @module
 * `npm run build:bundle` joins the modules of the command line into few files in build/cli, because loading
 * 400 modules takes most of the time of a short command (docs/decisions/start.md). bin/usurp.js runs them only
 * while they are fresh: build/cli/sources.json lists each source with its size and the time of its last change.
 * Another folder may be the first argument.
 */

import { join, resolve } from 'node:path';
import process from 'node:process';

import { recordSources } from './build-record.ts';
import { bundle, ENTRIES, isOwn, ROOT } from './bundler.ts';

const OUTPUT = resolve(process.argv[2] ?? join(ROOT, 'build', 'cli'));
/** Verbs that bin/usurp.js never runs from the bundle: they load files of the user, or run for long. */
const UNBUNDLED = /\/(serve\/serve|experiment\/worker|definitions\/(new|conform))\.ts$/;

const startedMs = Date.now();
const modules = await bundle({ output: OUTPUT, entries: ENTRIES, external: UNBUNDLED });
recordSources(OUTPUT, modules.filter(isOwn), startedMs);
