/**
 * @module
 * The document that a plan or a request names: one of the catalogue, or an edited one in the address.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { Catalogue } from '../threat-models/catalogue-data.ts';
import { packed, readDraft, textOf, unpacked } from '../threat-models/draft.ts';
import type { SweepRequest } from './plan.ts';
import { planOfRequest, queryOf } from './plan.ts';

/** The data of the edited document with this code: undefined while it is read, null without a readable one. */
export function useEdited(code: string | null): unknown {
  const read = useSignal<{ readonly code: string | null; readonly data: unknown }>({
    code: null,
    data: null,
  });
  useEffect(() => {
    if (code === null) return undefined;
    let isCurrent = true;
    void unpacked(code).then((text) => {
      const draft = text === null ? null : readDraft(text);
      if (isCurrent) read.value = { code, data: draft?.isRead === true ? draft.data : null };
    });
    return () => {
      isCurrent = false;
    };
  }, [code]);
  if (code === null) return null;
  return read.value.code === code ? read.value.data : undefined;
}

/** The document of a request as data; undefined if the catalogue has none of this id. */
export function documentOf({ threatModel }: SweepRequest, { models }: Catalogue): unknown {
  if (typeof threatModel !== 'string') return threatModel;
  return models.find(({ id }) => id === threatModel);
}

/** The values of the address of a form that has this request. */
export async function addressOfRequest(request: SweepRequest, { schema }: Catalogue) {
  const { threatModel } = request;
  const isEdited = typeof threatModel !== 'string';
  const code = isEdited ? await packed(textOf(threatModel, schema)) : null;
  return queryOf(planOfRequest(request, code));
}
