/**
 * @module
 * `npm run contract`: writes the generated files of the contract, which are the recorded examples, the OpenAPI
 * document (3.1) and the JSON Schemas of threat models, of exercises and of what live nodes exchange.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import manifest from '../../../package.json' with { type: 'json' };
import { openApiDocuments, RECORDED } from '../../../server/contract/openapi/document.ts';
import { classSchema } from '../../../src/exercise/class/class-document.ts';
import { authoringSchemaOf, exerciseSchema } from '../../../src/exercise/document.ts';
import { threatModelJsonSchema } from '../../../src/experiment/document/threat-model.ts';
import { peerProtocolJsonSchema } from '../../../src/live/peer-protocol/json-schema.ts';
import { recordExamples } from './record-examples.ts';
import { recordedLab } from './recorded-lab.ts';

const { app, close } = await recordedLab();
const { v31 } = openApiDocuments(app, manifest.version);
const examples = await recordExamples((path, init) => app.request(path, init), v31, RECORDED);
await close();

const FILES = {
  'server/contract/examples.json': examples,
  'server/contract/openapi.json': openApiDocuments(app, manifest.version, examples).v31,
  'threat-models/threat-model.schema.json': threatModelJsonSchema(),
  'exercises/exercise.schema.json': authoringSchemaOf(exerciseSchema),
  'exercises/class.schema.json': authoringSchemaOf(classSchema),
  'docs/peer-protocol.schema.json': peerProtocolJsonSchema(),
};

const cwd = fileURLToPath(new URL('../../..', import.meta.url));
const textOf = (path: string) => readFileSync(`${cwd}/${path}`, 'utf8');
const paths = Object.keys(FILES);
const before = new Map(paths.map((path) => [path, textOf(path)]));
for (const [path, document] of Object.entries(FILES)) {
  const isLong = path === 'server/contract/openapi.json';
  const text = isLong ? linesOf(document) : JSON.stringify(document, null, 2);
  writeFileSync(`${cwd}/${path}`, `${text}\n`);
}
execFileSync(
  'npx',
  ['biome', 'format', '--write', ...paths.filter((path) => !path.endsWith('openapi.json'))],
  { cwd },
);
for (const path of paths) {
  const isSame = textOf(path) === before.get(path);
  console.log(isSame ? `${path} is up to date` : `${path} is up to date now`);
}

/** JSON with a line for each operation and each schema: what is at most three levels deep begins a line. */
function linesOf(document: object): string {
  return JSON.stringify(document, null, 1)
    .replace(/\n {4,}/g, ' ')
    .replace(/\n {3}(?=[\]}])/g, ' ');
}
