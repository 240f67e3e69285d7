/**
 * @module
 * The exercises with what the caller has solved. With a class it has the deadlines.
 */

import { useSignal } from '@preact/signals';

import { deadlineText } from '../../../src/exercise/class/stated-text.ts';
import { allPages, answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { counted, dayAndTime } from '../parts/numbers.ts';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { hrefOf } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import type { ViewProps } from '../shell/views.ts';
import { ClassDesk } from './class-desk.tsx';
import { rowsOf } from './class-tables.ts';
import { OwnToken } from './own-token.tsx';
import { ROWS_SHOWN, ShowAll } from './show-all.tsx';

type Exercise = Schema<'Exercise'>;
type State = 'solved' | 'tried' | 'untouched' | 'graded';

const STATES: Readonly<Record<State, string>> = {
  solved: '✓ solved',
  tried: 'tried',
  untouched: '–',
  graded: 'graded by hand',
};

interface ExerciseListProps extends Pick<ViewProps, 'query'> {
  readonly membership: Membership;
}

export function ExerciseList({ membership, query }: ExerciseListProps) {
  const { ofClass } = membership;
  const { value: exercises, error } = useAnswer(readExercises);
  return (
    <>
      <h1>Exercises</h1>
      <p>
        Solve a task with the endpoints of the server, in any language. The server grades your
        answer by its own record.
      </p>
      {ofClass === null ? null : (
        <p>
          {ofClass.name}:{' '}
          {ofClass.member.role === 'student'
            ? `you have ${counted(ofClass.score, 'point')}.`
            : `you are an ${ofClass.member.role}.`}
        </p>
      )}
      {ofClass === null || ofClass.member.role === 'operator' ? null : <OwnToken />}
      <ErrorNotice error={error} />
      {exercises === null ? <p class="loading">Loading…</p> : null}
      {exercises === null ? null : <ExerciseTable {...{ exercises, membership }} />}
      {ofClass !== null && isInstructor(membership) ? <ClassDesk {...{ ofClass, query }} /> : null}
      {ofClass === null ? null : <Scoreboard ofClass={ofClass} />}
      <Equivalent
        command={['exercise', 'list', '--server', location.origin]}
        request={{ method: 'GET', path: '/v1/exercises?pageSize=100' }}
      />
    </>
  );
}

function readExercises(): Promise<readonly Exercise[]> {
  return allPages((query) => answerOf(api.GET('/v1/exercises', { params: { query } })));
}

interface ExerciseTableProps {
  readonly exercises: readonly Exercise[];
  readonly membership: Membership;
}

function ExerciseTable({ exercises, membership }: ExerciseTableProps) {
  const { ofClass } = membership;
  const { value: own } = useAnswer(() => readStates(exercises, membership));
  const states = ofClass === null ? own : statesOf(ofClass);
  const columns = ['Exercise', 'Difficulty', 'Points', 'State'];
  return (
    <Scrolling label="The exercises">
      <table>
        <TableHead
          columns={
            ofClass === null ? columns : [...columns, 'Score', `Deadline (${ofClass.timeZone})`]
          }
          numbers={['Difficulty', 'Points', 'Score']}
        />
        <tbody>
          {exercises.map(({ name, title, difficulty, points }) => (
            <tr key={name}>
              <td>
                <a href={hrefOf(['exercises', name])}>{title}</a>
              </td>
              <td class="number">{difficulty}</td>
              <td class="number">{points}</td>
              <td>{STATES[states?.[name] ?? 'untouched']}</td>
              {ofClass === null ? null : <Assignment {...{ name, ofClass }} />}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

interface AssignmentProps {
  readonly name: string;
  readonly ofClass: Schema<'Class'>;
}

function Assignment({ name, ofClass }: AssignmentProps) {
  const assignment = ofClass.exercises.find((each) => each.name === name);
  return (
    <>
      <td class="number">{assignment?.score ?? '–'}</td>
      <td>{assignment === undefined ? '–' : deadlineOf(assignment, ofClass.timeZone)}</td>
    </>
  );
}

/** Until when submissions are accepted, for the caller, in the time zone of the class. */
export function deadlineOf(assignment: Schema<'Class'>['exercises'][number], timeZone: string) {
  return deadlineText(assignment, (iso) => dayAndTime(iso, timeZone));
}

type States = Readonly<Record<string, State>>;

/** The state of each exercise of a class by name. */
function statesOf({ exercises }: Schema<'Class'>): States {
  const states = exercises.map(({ name, status, isManual }): [string, State] => [
    name,
    status === 'untouched' && isManual ? 'graded' : status,
  ]);
  return Object.fromEntries(states);
}

/** The state of each exercise by the caller's submissions, without a class. */
async function readStates(exercises: readonly Exercise[], membership: Membership): Promise<States> {
  if (membership.ofClass !== null || !hasWork(membership)) return {};
  const states = exercises.map(async ({ name }): Promise<[string, State]> => {
    const items = await readSubmissions(name);
    const isSolved = items.some(({ status }) => status === 'correct');
    return [name, isSolved ? 'solved' : items.length > 0 ? 'tried' : 'untouched'];
  });
  return Object.fromEntries(await Promise.all(states));
}

/** The caller's submissions to an exercise, the newest first. */
export function readSubmissions(name: string): Promise<readonly Schema<'EvaluatedSubmission'>[]> {
  const path = { name };
  return allPages((query) =>
    answerOf(api.GET('/v1/exercises/{name}/submissions', { params: { path, query } })),
  );
}

/** The scoreboard of a class, as far as the class shows it to the caller. */
function Scoreboard({ ofClass }: { readonly ofClass: Schema<'Class'> }) {
  const { value: standings, error } = useAnswer(() =>
    allPages((query) => answerOf(api.GET('/v1/class/scoreboard', { params: { query } }))),
  );
  const { timeZone, scoreboard } = ofClass;
  const { freeze } = scoreboard;
  const isWhole = useSignal(false);
  const rows = rowsOf(standings ?? []);
  const isShown = (at: number, isYou: boolean) => isWhole.value || isYou || at < ROWS_SHOWN;
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
              {rows.map(({ standing, students }, index) =>
                isShown(index, standing.isYou) ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: names may be hidden
                  <tr key={index}>
                    <td class="number">{standing.rank ?? '–'}</td>
                    <td>{nameInRow(standing, students)}</td>
                    <td class="number">{standing.points}</td>
                    <td class="number">{standing.solved}</td>
                  </tr>
                ) : null,
              )}
            </tbody>
          </table>
        </Scrolling>
      )}
      <ShowAll count={rows.length} isWhole={isWhole} />
    </section>
  );
}

function nameInRow({ student, isYou }: Schema<'Standing'>, students: number) {
  if (isYou) return <strong>{student ?? ''} (you)</strong>;
  return student ?? (students === 1 ? '–' : counted(students, 'student'));
}

/** Who the caller is, and the class of the server if there is one. */
export interface Membership {
  /** Null on a server that requires no tokens. */
  readonly role: Schema<'Session'>['role'];
  /** The class as the caller sees it; null if there is none. */
  readonly ofClass: Schema<'Class'> | null;
}

/** The membership, which is read again when the key changes. */
export function useMembership(key: string) {
  return useAnswer(readMembership, key);
}

async function readMembership(): Promise<Membership> {
  const { role, class: path } = await answerOf(api.GET('/v1/sessions/current'));
  return { role, ofClass: path === null ? null : await answerOf(api.GET('/v1/class')) };
}

/** Whether the caller may have instances and submissions of its own. */
export function hasWork({ role }: Pick<Membership, 'role'>): boolean {
  return role !== 'reader' && role !== 'participant';
}

/** Whether the caller sees the work of all students. */
export function isInstructor({ role }: Pick<Membership, 'role'>): boolean {
  return role === 'instructor' || role === 'operator';
}
