/**
 * @module
 * The scoreboard of a class, as far as the class shows it to the caller.
 */

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { allPages } from '../api/pages.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { dayAndTime } from '../parts/numbers.ts';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useAnswer } from '../shell/use-answer.ts';

export function Scoreboard({ ofClass }: { readonly ofClass: Schema<'Class'> }) {
  const { value: standings, error } = useAnswer(() =>
    allPages((query) => answerOf(api.GET('/v1/class/scoreboard', { params: { query } }))),
  );
  const { timeZone, scoreboard } = ofClass;
  const { freeze } = scoreboard;
  return (
    <section>
      <h2>Scoreboard</h2>
      {freeze === null ? null : (
        <p>
          Students see the scores until {dayAndTime(freeze, timeZone)} ({timeZone}).
        </p>
      )}
      <ErrorNotice error={error} />
      {standings === null ? null : (
        <Scrolling label="Scoreboard">
          <table class="scoreboard">
            <TableHead
              columns={['Rank', 'Student', 'Points', 'Solved']}
              numbers={['Rank', 'Points', 'Solved']}
            />
            <tbody>
              {standings.map(({ rank, student, isYou, points, solved }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: names may be hidden
                <tr key={index}>
                  <td class="number">{rank ?? '–'}</td>
                  <td>{isYou ? <strong>{student ?? ''} (you)</strong> : (student ?? '–')}</td>
                  <td class="number">{points}</td>
                  <td class="number">{solved}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolling>
      )}
    </section>
  );
}
