/**
 * @module
 * `npm run contract`: writes the generated files of the contract, the OpenAPI document (3.1) and the JSON
 * Schema of threat models.
 */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import manifest from '../package.json' with { type: 'json' };
import { THREAT_MODEL_JSON_SCHEMA } from '../src/experiment/document/threat-model.ts';
import { STRICT_POLICY } from '../src/identity/policy.ts';
import { createApp } from './app.ts';
import { ClaimChecks } from './claims/claim-checks.ts';
import { VERIFIER_HERE } from './claims/claim-judge.ts';
import { openApiDocuments } from './contract/openapi/document.ts';
import { ElectionStore } from './elections/storage/store.ts';
import { createJobs, executeInThreads } from './jobs/jobs.ts';
import { SweepFolders } from './jobs/sweeps/folders.ts';
import { Lifecycle } from './request/lifecycle.ts';

const nowMs = () => 0;
const onFault = () => undefined;
const folders = new SweepFolders();
const app = createApp({
  version: manifest.version,
  policy: STRICT_POLICY,
  admission: new ClaimChecks({ verifiers: VERIFIER_HERE, nowMs }),
  threatModels: [],
  elections: new ElectionStore(),
  jobs: createJobs(
    { concurrent: 1 },
    { executions: executeInThreads(1, folders), folders, onFault, nowMs },
  ),
  servesHost: () => true,
  lifecycle: new Lifecycle('ready'),
  onFault,
});

const FILES = {
  'server/contract/openapi.json': openApiDocuments(app, manifest.version).v31,
  'threat-models/threat-model.schema.json': THREAT_MODEL_JSON_SCHEMA,
};

const cwd = fileURLToPath(new URL('..', import.meta.url));
for (const [path, document] of Object.entries(FILES)) {
  writeFileSync(`${cwd}/${path}`, `${JSON.stringify(document, null, 2)}\n`);
}
execFileSync('npx', ['biome', 'format', '--write', ...Object.keys(FILES)], { cwd });
