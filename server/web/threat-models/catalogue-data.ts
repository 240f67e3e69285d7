/**
 * @module
 * The threat models of the server and their JSON Schema, which are loaded once.
 */

import { allPages, answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import type { Path } from './draft.ts';
import { pathOfPointer } from './draft.ts';
import type { JsonSchema } from './form/form-schema.ts';
import { isRecord } from './form/form-schema.ts';

export type ThreatModel = Schema<'ThreatModel'>;

/** The models in the order of their ids, and the schema of them all. */
export interface Catalogue {
  readonly models: readonly ThreatModel[];
  readonly schema: JsonSchema;
}

let kept: Promise<Catalogue> | null = null;

/** Throws ProblemError and LostServerError, and then loads again the next time. */
export function loadCatalogue(): Promise<Catalogue> {
  kept ??= load().catch((error: unknown) => {
    kept = null;
    throw error;
  });
  return kept;
}

async function load(): Promise<Catalogue> {
  const [models, { default: schema }] = await Promise.all([
    allPages((query) => answerOf(api.GET('/v1/threat-models', { params: { query } }))),
    import('../../../threat-models/threat-model.schema.json'),
  ]);
  // The form reads a part of what the file contains.
  return { models, schema: schema as JsonSchema };
}

/** The question of a model in words. */
export function questionOf({ expect }: Pick<ThreatModel, 'expect'>): string {
  const { property, comparison, probability } = expect;
  const most = comparison === 'at-most' ? 'at most' : 'at least';
  const event = property.replaceAll('-', ' ');
  const asked = property === 'no-leader' ? 'Is there no leader' : `Does “${event}” happen`;
  return `${asked} in ${most} ${percent(Number(probability))} of the runs?`;
}

/** A probability in percent with up to three digits. */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

/** The faults of a document as the server finds them. */
interface MemberFault {
  readonly path: Path;
  readonly text: string;
}

/** Throws ProblemError and LostServerError. */
export async function faultsOfServer(
  data: unknown,
  signal?: AbortSignal,
): Promise<readonly MemberFault[]> {
  if (!isRecord(data)) return [{ path: [], text: 'A threat model is a map of members.' }];
  const { errors } = await answerOf(
    api.POST('/v1/threat-model-validations', {
      body: { threatModel: { ...data } },
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  return errors.map(({ pointer, detail }) => {
    // The first part of the pointer is the member of the request.
    return { path: pathOfPointer(pointer).slice(1), text: detail };
  });
}
