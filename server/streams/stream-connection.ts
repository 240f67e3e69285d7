/**
 * @module
 * What every answer that goes on for long has in common: the headers that keep it a stream, and what
 * becomes of it when it breaks and its caller can no longer be told.
 */

import type { Context } from 'hono';

import { LabError } from '../../src/errors.ts';
import type { ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';
import type { Services } from '../services.ts';
import type { PulledOptions } from './pulled-stream.ts';

/** Nothing on the way may keep, gather or change what is a stream. */
export const STREAM_HEADERS = {
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** What to do with a stream that breaks. */
export function connectionOf(
  { onFault }: Pick<Services, 'onFault'>,
  c: Context<ServerEnv>,
): Pick<PulledOptions, 'disconnect' | 'onError'> {
  const id = c.get('requestId');
  const { outgoing } = bindingsOf(c);
  return {
    disconnect: outgoing === undefined ? null : () => void outgoing.destroy(),
    onError: (error) => {
      if (!(error instanceof LabError)) onFault({ id, error });
    },
  };
}
