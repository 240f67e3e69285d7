/**
 * @module
 * The recorded examples of the OpenAPI document are the answers of a server whose jobs run in threads.
 */

import { expect, it } from 'vitest';

import manifest from '../../../package.json' with { type: 'json' };
import { openApiDocuments, RECORDED } from '../../../server/contract/openapi/document.ts';
import { recordExamples } from './record-examples.ts';
import { recordedLab } from './recorded-lab.ts';

it('examples of answers are as a server gives them', async () => {
  const { app, close } = await recordedLab();
  const { v31 } = openApiDocuments(app, manifest.version);

  const examples = await recordExamples((path, init) => app.request(path, init), v31, RECORDED);

  await close();
  expect(examples, 'if the change is intended: npm run contract').toEqual(RECORDED);
});
