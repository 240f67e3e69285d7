/**
 * Generates both clients of an OpenAPI document: `node generate.js DOCUMENT FOLDER`.
 */

import { writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import openapiTypescript, { astToString } from 'openapi-typescript';

const [, , document, folder] = argv;
writeFileSync(`${folder}/schema.ts`, astToString(await openapiTypescript(pathToFileURL(document))));
await createClient({ input: document, output: `${folder}/client`, logs: { level: 'error' } });
