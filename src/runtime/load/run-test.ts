/**
 * @module
 * A process that runs a test of the user: it loads the file with definitions (first argument) and then
 * imports the test (second argument), which node:test runs and reports.
 */

import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

import { loadDefinitions } from './load-definitions.ts';

const [definitions = '', test = ''] = process.argv.slice(2);
await loadDefinitions([definitions]);
await import(pathToFileURL(resolve(test)).href);
