/**
 * @module
 * Rosters of other programs become the students of a class, and class codes become sheets and tables.
 */

import { csvParse } from 'd3-dsv';
import { describe, expect, it } from 'vitest';

import { codesFor } from '../../../src/exercise/class/code-sheet.ts';
import { readRoster, rosterText } from '../../../src/exercise/class/roster.ts';
import { parseClass } from '../../../src/exercise/reading.ts';

describe('a roster', () => {
  it.each([
    [
      'Gradescope',
      'First Name,Last Name,SID,Email,Section\nAnn,Lee,0042,Ann.Lee@example.org,"Tuesday 10h, 2b"\n',
      { name: 'ann.lee', fullName: 'Ann Lee', email: 'Ann.Lee@example.org', lmsId: '0042' },
      ['tuesday-10h', 'group-2b'],
    ],
    [
      'Canvas',
      'Student,ID,SIS User ID,SIS Login ID,Section,Homework (1)\n    Points Possible,,,,,10\n"Lee, Ann",17,0042,ann@example.org,A,\n',
      { name: 'ann', fullName: 'Lee, Ann', email: 'ann@example.org', lmsId: '0042' },
      ['a'],
    ],
    [
      'Moodle',
      '\uFEFFFirst name,Last name,ID number,Email address,Groups\nAnn,Lee,0042,ann@example.org,\n\n',
      { name: 'ann', fullName: 'Ann Lee', email: 'ann@example.org', lmsId: '0042' },
      [],
    ],
    ['a list of names', 'Username\nAnn_L\n', { name: 'ann_l' }, []],
  ])('of %s has names, addresses, IDs and groups', (_program, text, student, groups) => {
    const students = readRoster(text, 'roster.csv');

    expect(students).toEqual([{ ...student, groups }]);
    const document = `name: Class\ninstructors: [eve]\nexercises: [{ name: mine-claim }]\n${rosterText(students)}`;
    expect(parseClass(document, 'class.yaml', [{ name: 'mine-claim' }]).students).toEqual(students);
  });

  it.each([
    ['without a column for names', 'Full Name\nAnn\n', 'roster.csv:1: '],
    ['with a student without a name', 'Email\nann@example.org\n@\n', 'roster.csv:3: '],
  ])('%s is refused with its line', (_what, text, where) => {
    expect(() => readRoster(text, 'roster.csv')).toThrow(where);
  });

  it('with an address or an ID of two students is refused in the document', () => {
    const two = (member: string) =>
      `name: C\ninstructors: [eve]\nexercises: [{ name: mine-claim }]\nstudents:\n  - { name: a, ${member} }\n  - { name: b, ${member} }\n`;
    for (const member of ['email: x@example.org', "lmsId: '7'"]) {
      expect(() => parseClass(two(member), 'c.yaml', [{ name: 'mine-claim' }])).toThrow(
        'must differ from those of all other students',
      );
    }
  });

  it.each(['no-at', 'a@b@c', '"=1"@example.org', 'a b@example.org', 'a@'])(
    'with the address %j is refused',
    (email) => {
      const text = JSON.stringify({
        ...{ name: 'C', instructors: ['eve'], exercises: [{ name: 'mine-claim' }] },
        students: [{ name: 'ann', email }],
      });
      expect(() => parseClass(text, 'c.yaml', [{ name: 'mine-claim' }])).toThrow('e-mail');
    },
  );
});

describe('class codes', () => {
  const sheet = {
    title: 'Systems & <security>',
    address: 'https://lab.example',
    codes: [
      {
        name: 'ann',
        role: 'student' as const,
        fullName: '=1+<b>',
        email: 'ann@example.org',
        code: 'abcd',
      },
      { name: 'eve', role: 'instructor' as const, fullName: null, email: null, code: 'efgh' },
    ],
  };

  it('are lines of text in a file of another ending', () => {
    expect(codesFor('codes.txt', sheet)).toBe('student ann abcd\ninstructor eve efgh\n');
  });

  it('are a table for mail merge in a .csv file, without formulas', () => {
    expect([...csvParse(codesFor('codes.CSV', sheet))]).toMatchObject([
      {
        ...{
          email: 'ann@example.org',
          full_name: "'=1+<b>",
          name: 'ann',
          role: 'student' as const,
        },
        ...{ code: 'abcd', class: 'Systems & <security>', address: 'https://lab.example' },
      },
      { email: '', full_name: 'eve', code: 'efgh' },
    ]);
  });

  it('are a page to print in an .html file, with every text escaped', () => {
    const page = codesFor('codes.html', sheet);

    expect(page).toContain('<code>abcd</code>');
    expect(page).toContain('Systems &amp; &lt;security&gt;');
    expect(page).not.toMatch(/<b>(?!=1\+&lt;b&gt;<\/b>|eve<\/b>)|<script|http:/);
  });
});
