/**
 * @module
 * What instructors see of a class: the progress of every student, the solves as they happen, and the tables to download.
 */

import { useSignal } from '@preact/signals';

import type { Schema } from '../api/contract.ts';
import type { DownloadedFile } from '../parts/download.tsx';
import { Downloads, readResult } from '../parts/download.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { dayAndTime } from '../parts/numbers.ts';
import type { ViewProps } from '../shell/views.ts';
import { ClassProgress } from './class-progress.tsx';
import type { Solves } from './solves.ts';
import { useSolves } from './solves.ts';

interface ClassDeskProps extends Pick<ViewProps, 'query'> {
  readonly ofClass: Schema<'Class'>;
}

export function ClassDesk({ ofClass, query }: ClassDeskProps) {
  const feed = useSolves();
  const changes = useSignal(0);
  return (
    <>
      <ClassProgress
        chosen={query.student}
        timeZone={ofClass.timeZone}
        version={`${feed.version} ${changes.value}`}
        onChange={() => {
          changes.value += 1;
        }}
      />
      <Feed feed={feed} timeZone={ofClass.timeZone} />
      <section>
        <h2>Exports</h2>
        <p>Tables in CSV. The last two are for the CSV import of CTFd.</p>
        <div class="actions">
          <Downloads files={exportsOf(ofClass)} />
        </div>
      </section>
    </>
  );
}

interface FeedProps {
  readonly feed: Solves;
  readonly timeZone: string;
}

function Feed({ feed: { solves, error }, timeZone }: FeedProps) {
  return (
    <section class="solves">
      <h2>Solves (times in {timeZone})</h2>
      <ErrorNotice error={error} />
      {solves.length === 0 ? <p>There are none yet.</p> : null}
      <ol>
        {solves.map(({ seq, student, exercise, solved }) => (
          <li key={seq}>
            <time dateTime={solved}>{dayAndTime(solved, timeZone)}</time>: {student ?? 'a student'}{' '}
            solved {exercise}.
          </li>
        ))}
      </ol>
    </section>
  );
}

function exportsOf({ links }: Schema<'Class'>): readonly DownloadedFile[] {
  const { grades, ctfdUsers, ctfdChallenges } = links;
  const files = [
    { label: 'Grades', name: 'grades.csv', path: grades },
    { label: 'CTFd users', name: 'ctfd-users.csv', path: ctfdUsers },
    { label: 'CTFd challenges', name: 'ctfd-challenges.csv', path: ctfdChallenges },
  ];
  return files.flatMap(({ label, name, path }) => {
    if (path === null) return [];
    return [{ label, name, read: async () => (await readResult(path, 'text/csv')).blob() }];
  });
}
