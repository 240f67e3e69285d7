/**
 * @module
 * The exports of a class: grades, and what the CSV import of CTFd reads.
 */

import { csvParse } from 'd3-dsv';
import { describe, expect, it } from 'vitest';
import { CLASS, joinedClass } from './joined-class.ts';

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
      'student,full_name,groups,predict-cost,count-messages,worst-ring,total',
      `ann,"'=HYPERLINK(""http://evil.example"",""<b>Ann</b>"")",a,,,,0`,
      'bob,,,20,,,20',
      'cem,,,0,,,0',
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
