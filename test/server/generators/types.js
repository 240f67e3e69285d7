/**
 * Writes the types of an OpenAPI document for the browser lab: `node types.js DOCUMENT FILE`. Does nothing if the
 * file is newer than the document.
 */

import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';

const [, , document, file] = argv;
if (!existsSync(file) || statSync(file).mtimeMs < statSync(document).mtimeMs) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, astToString(await openapiTypescript(pathToFileURL(document))));
}
