/**
 * @module
 * The elections that the server keeps, the newest first.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { count } from '../parts/numbers.ts';
import { TableHead } from '../parts/table-head.tsx';
import { hrefOf } from '../shell/router.ts';
import { useAttempt } from '../shell/use-attempt.ts';

type Summary = Schema<'ElectionSummary'>;

const STATUS: Readonly<Record<Summary['status'], string>> = {
  created: 'not started',
  active: 'running',
  idle: 'at rest',
  restoring: 'being restored',
  damaged: 'damaged',
};

export function ElectionList() {
  const items = useSignal<readonly Summary[] | null>(null);
  const next = useSignal<string | null>(null);
  const { error, attempt } = useAttempt();
  const load = (pageToken: string | null) =>
    attempt(async () => {
      const query = { pageSize: '20', ...(pageToken === null ? {} : { pageToken }) };
      const page = await answerOf(api.GET('/v1/elections', { params: { query } }));
      items.value = [...(pageToken === null ? [] : (items.value ?? [])), ...page.items];
      next.value = page.nextPageToken;
    });
  useEffect(() => void load(null), []);
  if (items.value === null) return <ErrorNotice error={error.value} />;
  if (items.value.length === 0)
    return <p class="hint">There is no election yet. Create the first.</p>;
  return (
    <>
      <div class="scrolling">
        <table class="elections">
          <TableHead
            columns={['Election', 'Protocol', 'Nodes', 'Tick', 'State', 'Seed']}
            numbers={['Nodes', 'Tick']}
          />
          <tbody>
            {items.value.map(({ id, protocol, nodes, time, status, seed }) => (
              <tr key={id}>
                <td>
                  <a class="mono" href={hrefOf(['elections', id])}>
                    {id}
                  </a>
                </td>
                <td>{protocol}</td>
                <td class="number">{count(nodes)}</td>
                <td class="number">{time == null ? '–' : count(time)}</td>
                <td>{STATUS[status]}</td>
                <td>{seed ?? 'hidden'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {next.value === null ? null : (
        <button type="button" onClick={() => void load(next.value)}>
          Show more
        </button>
      )}
      <ErrorNotice error={error.value} />
    </>
  );
}
