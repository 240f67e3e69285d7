/**
 * @module
 * What instructors see of a class: the progress of every student, the solves as they happen, and the tables to download.
 */

import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { allPages, answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { follow } from '../api/follow.ts';
import type { DownloadedFile } from '../parts/download.tsx';
import { Downloads, readResult } from '../parts/download.tsx';
import { Copied } from '../parts/equivalent.tsx';
import { ChoiceField, TextField } from '../parts/fields.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { count, dayAndTime } from '../parts/numbers.ts';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import type { ViewProps } from '../shell/views.ts';
import { Decisions, Statistics } from './class-decisions.tsx';
import { arranged, ORDERS } from './class-tables.ts';
import { ROWS_SHOWN, ShowAll } from './show-all.tsx';

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
      <Statistics version={`${feed.version} ${changes.value}`} />
      <Feed feed={feed} timeZone={ofClass.timeZone} />
      <section>
        <h2>Exports</h2>
        <p>Tables in CSV: grades for other programs, and rosters.</p>
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

/** The buttons by the names of the exports. */
const EXPORT_LABELS: Readonly<Record<Schema<'Class'>['links']['exports'][number]['name'], string>> =
  {
    grades: 'Grades',
    canvas: 'Canvas',
    moodle: 'Moodle',
    gradescope: 'Gradescope',
    githubClassroom: 'GitHub Classroom',
    ctfdScoreboard: 'CTFd scoreboard',
    ctfdUsers: 'CTFd users',
    ctfdChallenges: 'CTFd challenges',
    roster: 'Roster',
  };

function exportsOf({ links }: Schema<'Class'>): readonly DownloadedFile[] {
  return links.exports.map(({ name, path }) => ({
    label: EXPORT_LABELS[name],
    name: `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.csv`,
    read: async () => (await readResult(path, 'text/csv')).blob(),
  }));
}

type Progress = Schema<'Progress'>;

interface ClassProgressProps {
  /** The name of the student whose work is shown. */
  readonly chosen: string | undefined;
  readonly timeZone: string;
  /** The progress is read again when it changes. */
  readonly version: string;
  /** Is called when the work of a student was changed here, or to read the progress again. */
  readonly onChange: () => void;
}

/**
 * The progress of every student of a class in every exercise, and the work of the student that is chosen.
 */
function ClassProgress({ chosen, timeZone, version, onChange }: ClassProgressProps) {
  const { value: students, error } = useAnswer(
    () => allPages((query) => answerOf(api.GET('/v1/class/progress', { params: { query } }))),
    version,
  );
  const student = students?.find((each) => each.student === chosen);
  const work = useRef<HTMLElement>(null);
  const onChoose = (name: string) => {
    // The work of another student takes the focus when it is shown.
    if (name === chosen) work.current?.focus();
    else keepInAddress({ student: name });
  };
  return (
    <section>
      <h2>Progress</h2>
      <p>
        ✓ is solved; the numbers are points and, in brackets, submissions. Choose a student to see
        more below the table.
      </p>
      <ErrorNotice error={error} />
      {students === null ? null : <ProgressTable {...{ students, chosen, onChoose }} />}
      <p class="actions">
        <button type="button" onClick={onChange}>
          Read again
        </button>
      </p>
      {student === undefined ? null : (
        <StudentWork key={student.student} {...{ student, timeZone, onChange }} section={work} />
      )}
    </section>
  );
}

interface ProgressTableProps extends Pick<ClassProgressProps, 'chosen'> {
  readonly students: readonly Progress[];
  readonly onChoose: (student: string) => void;
}

function ProgressTable({ students: all, chosen, onChoose }: ProgressTableProps) {
  const search = useSignal('');
  const order = useSignal<string>(ORDERS[0]);
  const isWhole = useSignal(false);
  const columns = all[0]?.exercises.map(({ exercise }) => exercise) ?? [];
  const found = arranged(all, { search: search.value, order: order.value });
  const students = isWhole.value ? found : found.slice(0, ROWS_SHOWN);
  return (
    <>
      <div class="controls">
        <TextField
          label="Find students"
          type="search"
          value={search.value}
          placeholder="name or group"
          set={(text) => {
            search.value = text;
          }}
        />
        <ChoiceField
          label="Order"
          value={order.value}
          options={ORDERS}
          set={(name) => {
            order.value = name;
          }}
        />
        <ShowAll count={found.length} isWhole={isWhole} />
      </div>
      <ProgressRows {...{ students, columns, chosen, onChoose }} />
    </>
  );
}

type ProgressRowsProps = ProgressTableProps & { readonly columns: readonly string[] };

function ProgressRows({ students, columns, chosen, onChoose }: ProgressRowsProps) {
  return (
    <Scrolling label="Progress of the students">
      <table class="class-progress">
        <TableHead
          columns={['Student', 'Groups', 'Joined', 'Score', ...columns]}
          numbers={['Score']}
        />
        <tbody>
          {students.map(({ student, fullName, groups, hasJoined, score, exercises }) => (
            <tr key={student}>
              <th scope="row">
                <button
                  type="button"
                  class="beside-text"
                  aria-pressed={student === chosen}
                  onClick={() => onChoose(student)}
                >
                  {fullName === null ? student : `${student} (${fullName})`}
                </button>
              </th>
              <td>{groups.join(', ')}</td>
              <td>{hasJoined ? 'yes' : 'no'}</td>
              <td class="number">{score}</td>
              {exercises.map((cell) => (
                <td key={cell.exercise}>{cellText(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

function cellText({ status, score, submissions, isManual }: Progress['exercises'][number]): string {
  if (status === 'untouched' && !isManual) return '–';
  return `${status === 'solved' ? '✓ ' : ''}${score} (${submissions})`;
}

type Solve = Schema<'SolveEvent'>;
type Line = Solve | Schema<'SolveNotice'>;

/**
 * The solves of a class as the server reports them. What arrives is shown once a second, so that a class
 * that solves together does not make the page read its tables again for each solve.
 */
interface Solves {
  /** The last ones, the newest first. */
  readonly solves: readonly Solve[];
  /** Changes with each solve. */
  readonly version: number;
  readonly error: unknown;
}

const SHOWN_MAX = 50;
const SHOWN_EVERY_MS = 1_000;

/** Follows the solves of the class while the component is shown. */
function useSolves(): Solves {
  const state = useSignal<Solves>({ solves: [], version: 0, error: null });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let waiting: readonly Line[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    const show = () => {
      timer = null;
      state.value = withLines(state.value, waiting);
      waiting = [];
    };
    const onLines = (lines: readonly Line[]) => {
      waiting = [...waiting, ...lines];
      timer ??= setTimeout(show, SHOWN_EVERY_MS);
    };
    follow<Line>({ path: '/v1/class/events', after: -1, onLines, signal }).catch((error) => {
      if (!signal.aborted) state.value = { ...state.value, error };
    });
    return () => {
      controller.abort();
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
  return state.value;
}

/** A resync precedes all solves that there are. */
function withLines(before: Solves, lines: readonly Line[]): Solves {
  const start = lines.findLastIndex(({ event }) => event === 'resync');
  const kept = start < 0 ? before.solves : [];
  const fresh = lines.slice(start + 1).filter((line) => line.event === 'solve');
  const solves = [...fresh.toReversed(), ...kept].slice(0, SHOWN_MAX);
  return { ...before, solves, version: before.version + 1 };
}

interface StudentWorkProps {
  readonly student: Progress;
  readonly timeZone: string;
  /** The section, which takes the focus when it is shown, because it can be far below the name. */
  readonly section: RefObject<HTMLElement | null>;
  /** Is called after a reset. */
  readonly onChange: () => void;
}

/**
 * The work of one student, for instructors. They can reset an exercise of the student, and give the student a new
 * class code.
 */
function StudentWork({ student: progress, timeZone, section, onChange }: StudentWorkProps) {
  const { student, exercises } = progress;
  useEffect(() => section.current?.focus(), []);
  const code = useSignal<string | null>(null);
  const { error, attempt } = useAttempt();
  const askReset = (exercise: string) => {
    const question = `Reset ${exercise} for ${student}? Its submissions, hints and metered forgeries are removed. You can undo it below.`;
    if (!confirm(question)) return;
    void attempt(async () => {
      const path = { student, exercise };
      await answerOf(api.DELETE('/v1/class/progress/{student}/{exercise}', { params: { path } }));
      onChange();
    });
  };
  const renewCode = () => {
    const question = `Give ${student} a new class code? The token that ${student} has now ends at once.`;
    if (!confirm(question)) return;
    void attempt(async () => {
      const params = { path: { name: student } };
      const renewed = await answerOf(api.POST('/v1/class/members/{name}/join-code', { params }));
      code.value = renewed.code;
      onChange();
    });
  };
  return (
    <section
      class="panel student-work"
      ref={section}
      tabIndex={-1}
      aria-label={`Work of ${student}`}
    >
      <h3>{student}</h3>
      <Scrolling label={`The exercises of ${student}`}>
        <WorkTable {...{ exercises, timeZone, askReset }} />
      </Scrolling>
      <ErrorNotice error={error.value} />
      <Decisions {...{ progress, timeZone, onChange }} />
      <p class="actions">
        <button type="button" onClick={renewCode}>
          New class code
        </button>
      </p>
      {code.value === null ? null : <Copied name="class code" text={code.value} />}
    </section>
  );
}

interface WorkTableProps extends Pick<Progress, 'exercises'>, Pick<StudentWorkProps, 'timeZone'> {
  readonly askReset: (exercise: string) => void;
}

function WorkTable({ exercises, timeZone, askReset }: WorkTableProps) {
  const numbers = ['Score', 'Submissions', 'Hints', 'Attempts'];
  const columns = ['Exercise', ...numbers, `Solved (${timeZone})`, 'Reset'];
  return (
    <table>
      <TableHead columns={columns} numbers={numbers} />
      <tbody>
        {exercises.map(({ exercise, score, submissions, hints, attempts, solved }) => (
          <tr key={exercise}>
            <th scope="row">{exercise}</th>
            <td class="number">{count(score)}</td>
            <td class="number">{count(submissions)}</td>
            <td class="number">{count(hints)}</td>
            <td class="number">{count(attempts)}</td>
            <td>{solved === null ? '–' : dayAndTime(solved, timeZone)}</td>
            <td>
              {submissions + hints + attempts === 0 ? null : (
                <button
                  type="button"
                  aria-label={`Reset ${exercise} …`}
                  onClick={() => askReset(exercise)}
                >
                  Reset …
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
