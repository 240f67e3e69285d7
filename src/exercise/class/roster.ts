/**
 * @module
 * The roster of a class from a table of a learning management system: CSV with a head that names its columns. It becomes
 * the `students` of the document of a class.
 */

import { csvParseRows } from 'd3-dsv';

import { LabError } from '../../errors.ts';

/** A student as the document of a class has it. */
export interface RosterStudent {
  readonly name: string;
  readonly fullName?: string;
  readonly email?: string;
  readonly lmsId?: string;
  readonly groups: readonly string[];
}

/**
 * The names of columns that are read, in small letters: those of usurp, of rosters of Gradescope, of the gradebook of
 * Canvas, and of the participants of Moodle.
 */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  name: ['name in usurp', 'username', 'login'],
  fullName: ['full name', 'fullname', 'full_name', 'student', 'name'],
  firstName: ['first name', 'firstname', 'first_name'],
  lastName: ['last name', 'lastname', 'surname', 'last_name'],
  email: ['email', 'e-mail', 'email address', 'sis login id'],
  lmsId: ['lms id', 'lmsid', 'lms_id', 'sid', 'id number', 'idnumber', 'sis user id'],
  groups: ['groups', 'group', 'section', 'sections', 'section_name'],
};

/**
 * The students of a table. The name of a student is its login, or else the part of its e-mail address before the @. Throws
 * LabError `document` with the line of a fault.
 */
export function readRoster(text: string, file: string): readonly RosterStudent[] {
  const [head = [], ...rows] = csvParseRows(text.replace(/^\uFEFF/, ''));
  const titles = head.map((title) => title.trim().toLowerCase());
  const at = new Map(
    Object.entries(COLUMNS).map(([column, names]) => {
      const found = names.map((name) => titles.indexOf(name)).find((index) => index >= 0);
      return [column, found];
    }),
  );
  if (at.get('email') === undefined && at.get('name') === undefined) {
    const detail = `${file}:1: the table needs a column Email or Username, got ${head.join(', ')}`;
    throw new LabError('document', detail);
  }
  return rows.flatMap((row, index) => {
    const cell = (column: string) => row[at.get(column) ?? row.length]?.trim() ?? '';
    // Canvas has a line with the points of each assignment below the head.
    if (row.every((each) => each.trim() === '') || /points possible/i.test(row[0] ?? '')) return [];
    const email = cell('email');
    const login = cell('name') || (email.split('@')[0] ?? '');
    const name = login.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-');
    if (!/^[a-z0-9]/.test(name)) {
      throw new LabError(
        'document',
        `${file}:${index + 2}: the student has no login and no e-mail`,
      );
    }
    const fullName =
      cell('fullName') || [cell('firstName'), cell('lastName')].filter(Boolean).join(' ');
    const groups = cell('groups')
      .split(/[;,]| and /)
      .map((group) =>
        group
          .trim()
          .toLowerCase()
          .replaceAll(/[^a-z0-9]+/g, '-'),
      )
      .map((group) => group.replaceAll(/^-|-$/g, ''))
      .filter((group) => group !== '')
      // The name of a group begins with a letter.
      .map((group) => (/^[a-z]/.test(group) ? group : `group-${group}`).slice(0, 32));
    const lmsId = cell('lmsId');
    return [
      {
        name: name.slice(0, NAME_CHARACTERS_MAX),
        ...(fullName !== '' && { fullName }),
        ...(email.includes('@') && { email }),
        ...(lmsId !== '' && { lmsId }),
        groups: [...new Set(groups)],
      },
    ];
  });
}

const NAME_CHARACTERS_MAX = 64;

/** The students as the end of a document of a class (YAML), one line for each. */
export function rosterText(students: readonly RosterStudent[]): string {
  // JSON is YAML, and quotes every text.
  const lines = students.map((student) => `  - ${JSON.stringify(student)}`);
  return `students:\n${lines.join('\n')}\n`;
}
