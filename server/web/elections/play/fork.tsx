/**
 * @module
 * Copies the election at the moment that is shown, and opens the copy. Also deletes an election.
 */

import { answerOf, api } from '../../api/client.ts';
import { once } from '../../api/jobs.ts';
import { go } from '../../shell/router.ts';
import { asksForSignIn } from '../../shell/sign-in.tsx';
import type { Session } from '../session/session.ts';

interface ForkProps {
  readonly session: Session;
  /** Number of events that are shown, and of all. */
  readonly position: number;
  readonly count: number;
}

export function Fork({ session, position, count }: ForkProps) {
  const { id } = session.watch;
  const guarded = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!asksForSignIn(error)) session.error.value = error;
    }
  };
  const fork = () =>
    guarded(async () => {
      const body = position >= count ? {} : { at: position - 1 };
      const params = { path: { id }, ...once() };
      const copy = await answerOf(api.POST('/v1/elections/{id}/fork', { params, body }));
      go(['elections', copy.id]);
    });
  const remove = () =>
    guarded(async () => {
      await answerOf(api.DELETE('/v1/elections/{id}', { params: { path: { id } } }));
      go(['elections']);
    });
  return (
    <div class="controls after-diagram">
      <button type="button" disabled={position === 0 && count > 0} onClick={() => void fork()}>
        {position >= count ? 'Fork now' : `Fork at event ${position - 1}`}
      </button>
      <button type="button" onClick={() => void remove()}>
        Delete
      </button>
    </div>
  );
}
