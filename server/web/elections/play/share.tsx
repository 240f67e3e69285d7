/**
 * @module
 * Shares an election: a join code for others, and who has used it.
 */

import { useSignal } from '@preact/signals';

import { answerOf, api } from '../../api/client.ts';
import type { Election, Schema } from '../../api/contract.ts';
import { once } from '../../api/jobs.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { dayAndTime } from '../../parts/numbers.ts';
import { useAttempt } from '../../shell/use-attempt.ts';

export function Share({ election }: { readonly election: Election }) {
  const code = useSignal<Schema<'JoinCode'> | null>(null);
  const participants = useSignal<readonly Schema<'Participant'>[]>([]);
  const { error, attempt } = useAttempt();
  const path = { id: election.id };
  const list = async () => {
    const query = { pageSize: '100' };
    const page = await answerOf(
      api.GET('/v1/elections/{id}/participants', { params: { path, query } }),
    );
    participants.value = page.items;
  };
  const make = () =>
    attempt(async () => {
      if (election.access === 'private') {
        const body = { mode: 'shared' } as const;
        await answerOf(api.PUT('/v1/elections/{id}/access', { params: { path, ...once() }, body }));
      }
      code.value = await answerOf(
        api.POST('/v1/elections/{id}/join-code', { params: { path, ...once() }, body: {} }),
      );
      await list();
    });
  return (
    <details class="share panel">
      <summary>Share this election</summary>
      <p>
        Everyone who can open this address watches the same election. On a server that requires
        tokens, others sign in with a join code and play nodes of their own.
      </p>
      <div class="controls">
        <button type="button" onClick={() => void make()}>
          Make a join code
        </button>
        <button type="button" onClick={() => void attempt(list)}>
          Show participants
        </button>
      </div>
      {code.value === null ? null : (
        <p role="status">
          Join code: <code class="join-code">{code.value.code}</code>. At most{' '}
          {code.value.participantsMax} participants, until {dayAndTime(code.value.expires)}.
        </p>
      )}
      {participants.value.length === 0 ? null : (
        <ul class="participants">
          {participants.value.map((each) => (
            <li key={each.id}>
              {each.name}:{' '}
              {each.nodeId === null ? 'no node yet' : `node ${each.nodeId.slice(0, 16)}…`}
            </li>
          ))}
        </ul>
      )}
      <ErrorNotice error={error.value} />
    </details>
  );
}
