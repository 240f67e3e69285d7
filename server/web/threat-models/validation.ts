/**
 * @module
 * The faults of a document as the server finds them.
 */

import { answerOf, api } from '../api/client.ts';
import type { Path } from './draft.ts';
import { pathOfPointer } from './draft.ts';
import { isRecord } from './form/form-schema.ts';

export interface MemberFault {
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
