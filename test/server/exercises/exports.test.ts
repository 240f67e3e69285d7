/**
 * @module
 * The exports of a class: grades, and what the CSV import of CTFd reads.
 */

import { csvParse, csvParseRows } from 'd3-dsv';
import { describe, expect, it } from 'vitest';
import { SERVER } from '../../../server/request/principal.ts';
import { CLASS, DEADLINE_MS, joinedClass } from './joined-class.ts';

const WRONG = { type: 'number', number: 1 };

it('the export of grades has the points of all who submitted, without formulas', async () => {
  const { app, bearer, solve, submit } = await joinedClass();
  await solve('bob');
  await submit('cem', 'predict-cost', WRONG);
  const textOf = async (name: string) => {
    const path = `/v1/class/exports/${name}`;
    return (await app.request(path, { headers: bearer('eve') })).text();
  };

  expect(await textOf('grades')).toBe(
    [
      'student,full_name,groups,predict-cost,count-messages,worst-ring,total,points_max,late,email,lms_id',
      `ann,"'=HYPERLINK(""http://evil.example"",""<b>Ann</b>"")",a,,,,0,75,,,`,
      'bob,,,20,,,20,75,,,',
      'cem,,,0,,,0,75,,,',
      '',
    ].join('\n'),
  );
});

describe('the export for CTFd', () => {
  /** The rows of an export, as the CSV import of CTFd reads them: by the names of columns. */
  const rowsOf = async (name: string, text = CLASS) => {
    const { app, bearer } = await joinedClass({ text });
    const answer = await app.request(`/v1/class/exports/${name}`, { headers: bearer('eve') });
    return csvParse(await answer.text());
  };
  /** The columns of the documentation of CTFd; the import refuses a row with another one. */
  const CHALLENGE_COLUMNS = [
    ...['name', 'category', 'description', 'value', 'type', 'state', 'max_attempts'],
    ...['flags', 'tags', 'hints'],
  ];

  it('has users with the columns that CTFd requires', async () => {
    const rows = await rowsOf('ctfdUsers');

    expect(rows.columns).toEqual(['name', 'email']);
    expect(rows.map(({ name, email }) => [name, email])).toEqual([
      ...['ann', 'bob', 'cem'].map((name) => [name, `${name}@example.invalid`]),
    ]);
  });

  it('has challenges with names, categories, values, hints with costs, and prerequisites', async () => {
    const rows = await rowsOf('ctfdChallenges');

    expect(rows.columns).toEqual(CHALLENGE_COLUMNS);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(3);
    expect(rows[0]).toMatchObject({
      ...{ name: 'Predict the cost of identities', category: 'mining', value: '20' },
      ...{ type: 'standard', state: 'hidden', max_attempts: '0', tags: 'difficulty 2' },
    });
    // CTFd reads hints as JSON if they are a list of objects, and else divides them at commas.
    expect(JSON.parse(rows[0]?.hints ?? '')).toEqual([
      {
        content:
          'A digest begins with c zero bits with probability p = 2^-c, and the mean number of attempts until a success is 1/p.',
        cost: 2,
      },
    ]);
    const ring = rows.find(({ name }) => name === 'Build the worst ring for Chang and Roberts');
    expect(ring?.description).toContain('Solve before: Count the messages of Bully.');
    expect(rows.map(({ flags }) => flags)).toEqual(['[]', '[]', '[]']);
  });

  it('has the flags that solutions earn, in a class with flags', async () => {
    const text = `${CLASS}ctfdFlags: true\n`;
    const { app, bearer, submit, solve } = await joinedClass({ text });
    const wrong = await submit('ann', 'predict-cost', WRONG);
    const solved = [await solve('ann'), await solve('bob'), await solve('bob')];
    const answer = await app.request('/v1/class/exports/ctfdChallenges', {
      headers: bearer('eve'),
    });
    const flags = csvParse(await answer.text()).map((row) => JSON.parse(row.flags ?? ''));

    const [{ content } = { content: '' }] = flags[0];
    expect(content).toMatch(/^usurp\{[0-9a-f]{32}\}$/);
    expect(flags[0]).toEqual([{ type: 'static', content }]);
    expect(new Set(flags.map(([flag]) => flag.content)).size).toBe(3);
    expect(wrong.json.flag).toBeNull();
    expect(solved.map(({ json }) => json.flag)).toEqual([content, content, content]);
  });
});

describe('the grades for another program', () => {
  const ROSTER = CLASS.replace(
    '{ name: bob }',
    "{ name: bob, fullName: 'Ray, Bob', email: bob@example.org, lmsId: '0042', groups: [b] }",
  );

  /** bob is two hours late with the last exercise, which costs half; cem is wrong; ann has a grade. */
  const rowsOf = async (name: string) => {
    const { app, bearer, solve, submit, decide, clock, course } = await joinedClass({
      text: ROSTER,
    });
    await solve('bob');
    await submit('cem', 'predict-cost', WRONG);
    await decide({
      ...{ type: 'grade', student: 'ann', exercise: 'predict-cost', points: 11 },
      comment: '=1+1',
    });
    const ring = course.exercises.find((each) => each.name === 'worst-ring');
    const instance = ring && course.instanceOf(ring, { ...SERVER, owner: 'bob' });
    const nodeIds = instance?.goal.given.nodeIds as readonly string[];
    clock.ms = DEADLINE_MS + 2 * 3_600_000;
    await submit('bob', 'worst-ring', { type: 'ring', ring: nodeIds.toSorted().reverse() });
    const answer = await app.request(`/v1/class/exports/${name}`, { headers: bearer('eve') });
    expect(answer.headers.get('Content-Type')).toBe('text/csv');
    const text = await answer.text();
    return { rows: csvParseRows(text), table: csvParse(text) };
  };
  const [COST, COUNT, RING] = [
    'Predict the cost of identities',
    'Count the messages of Bully',
    'Build the worst ring for Chang and Roberts',
  ];

  it('Canvas: student columns up to Section, points possible in the second line', async () => {
    const { rows } = await rowsOf('canvas');

    expect(rows).toEqual([
      ['Student', 'ID', 'SIS User ID', 'SIS Login ID', 'Section', COST, COUNT, RING],
      ['Points Possible', '', '', '', '', '20', '25', '30'],
      [expect.stringMatching(/^'=HYPERLINK/), '', '', '', 'a', '11', '', ''],
      ['Ray, Bob', '', '0042', 'bob@example.org', 'b', '20', '', '15'],
      ['cem', '', '', '', '', '0', '', ''],
    ]);
  });

  it('Moodle: one column of grades and one of feedback for each exercise', async () => {
    const { table } = await rowsOf('moodle');

    expect(table.columns.slice(0, 6)).toEqual([
      ...['Username', 'Full name', 'ID number', 'Email address', COST, `Feedback: ${COST}`],
    ]);
    expect(table[1]).toMatchObject({
      ...{ Username: 'bob', 'ID number': '0042', 'Email address': 'bob@example.org' },
      ...{ [COST]: '20', [`Feedback: ${COST}`]: '20 of 20 points' },
      ...{ [COUNT]: '-', [`Feedback: ${COUNT}`]: '' },
      ...{ [RING]: '15', [`Feedback: ${RING}`]: '15 of 30 points; late by 02:00:00 (h:m:s)' },
    });
    // No program reads a comment as a formula.
    expect(table[0]?.[`Feedback: ${COST}`]).toBe("11 of 20 points; '=1+1");
  });

  it('Gradescope: points, maximum, time and lateness of each exercise', async () => {
    const { table } = await rowsOf('gradescope');

    expect(table.columns.slice(0, 4)).toEqual(['Name', 'SID', 'Email', 'Sections']);
    expect(table.columns.at(-1)).toBe('Total Lateness (H:M:S)');
    expect(table[1]).toMatchObject({
      ...{ Name: 'Ray, Bob', SID: '0042', Email: 'bob@example.org', Sections: 'b' },
      ...{ [RING]: '15', [`${RING} - Max Points`]: '30' },
      [`${RING} - Submission Time`]: '2026-10-10 02:00:00 +0000',
      ...{ [`${RING} - Lateness (H:M:S)`]: '02:00:00', 'Total Lateness (H:M:S)': '02:00:00' },
    });
    expect(table[2]).toMatchObject({
      [COST]: '0',
      [RING]: '',
      'Total Lateness (H:M:S)': '00:00:00',
    });
  });

  it('GitHub Classroom: a line for each student and exercise, with points and their maximum', async () => {
    const { table } = await rowsOf('githubClassroom');

    expect(table.columns).toEqual([
      ...['assignment_name', 'assignment_url', 'starter_code_url', 'github_username'],
      ...['roster_identifier', 'student_repository_name', 'student_repository_url'],
      ...['submission_timestamp', 'points_awarded', 'points_available'],
    ]);
    expect(table).toHaveLength(9);
    expect(table.find((row) => row.points_awarded === '15')).toMatchObject({
      ...{ assignment_name: 'worst-ring', roster_identifier: 'bob@example.org' },
      ...{ submission_timestamp: '2026-10-10T02:00:00.000Z', points_available: '30' },
    });
  });

  it('CTFd: the scoreboard, the best student first', async () => {
    const { rows } = await rowsOf('ctfdScoreboard');

    expect(rows).toEqual([
      ['place', 'user', 'score'],
      ['1', 'bob', '35'],
      ['2', 'ann', '11'],
      ['3', 'cem', '0'],
    ]);
  });

  it('usurp: the exercises that were late, the address and the ID', async () => {
    const { table } = await rowsOf('grades');

    expect(table[1]).toMatchObject({
      ...{ student: 'bob', total: '35', points_max: '75', late: 'worst-ring' },
      ...{ email: 'bob@example.org', lms_id: '0042' },
    });
  });

  it('a roster has the columns that Gradescope asks for, and CTFd gets the addresses', async () => {
    expect((await rowsOf('roster')).rows.slice(0, 3)).toEqual([
      ['Full Name', 'Email', 'SID', 'Section', 'Username'],
      [expect.stringMatching(/^'=HYPERLINK/), '', '', 'a', 'ann'],
      ['Ray, Bob', 'bob@example.org', '0042', 'b', 'bob'],
    ]);
    expect((await rowsOf('ctfdUsers')).rows[2]).toEqual(['bob', 'bob@example.org']);
  });
});
