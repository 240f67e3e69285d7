/**
 * @module
 * The threat model of a request: one of the catalogue by its id, or a whole document in the request.
 */

import type { z } from 'zod';
import { jsonPointer, LabError } from '../../src/errors.ts';
import type { ThreatModel } from '../../src/experiment/document/threat-model.ts';
import { meantText } from '../../src/experiment/reading/nearest.ts';
import { checkThreatModel } from '../../src/experiment/reading/schema-faults.ts';
import type { modelSourceSchema, NamedModel } from '../../src/operations/model.ts';
import { faultAt } from '../contract/faults.ts';

/** Throws LabError `schema`, which lists the ids, or `document` with each wrong member of a document. */
export function modelIn(
  source: z.output<typeof modelSourceSchema>,
  catalogue: readonly ThreatModel[],
): NamedModel {
  if (typeof source !== 'string') return inlineModel(source);
  const model = catalogue.find((candidate) => candidate.id === source);
  if (model !== undefined) return { name: source, model };
  const ids = catalogue.map((candidate) => candidate.id);
  const meant = meantText(ids, source);
  const unknown = meant === '' ? '' : `${JSON.stringify(source)} is not known${meant}: it `;
  throw faultAt('schema', '/threatModel', `${unknown}must be one of ${ids.join(', ')}`);
}

function inlineModel(document: Readonly<Record<string, unknown>>): NamedModel {
  const checked = checkThreatModel(document);
  if (checked.outcome === 'valid') {
    const { model } = checked;
    return { name: `${model.id}.yaml`, model };
  }
  if (Object.hasOwn(document, 'threatModel') && !Object.hasOwn(document, 'id')) {
    const within = 'is a body with a threat model: send its member threatModel here';
    throw faultAt('document', '/threatModel', within);
  }
  const { faults } = checked;
  const detail = faults.map(({ text }) => text).join('; ');
  throw new LabError(
    'document',
    detail.slice(0, DETAIL_CHARACTERS_MAX),
    faults.map(({ path, text }) => ({
      pointer: jsonPointer(['threatModel', ...path]),
      detail: text,
    })),
  );
}

const DETAIL_CHARACTERS_MAX = 500;
