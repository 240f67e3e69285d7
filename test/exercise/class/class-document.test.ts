/**
 * @module
 * The document of a class: what it may state, and where a mistake is reported.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseClass } from '../../../src/exercise/reading.ts';
import { readExercises } from '../../../src/runtime/files/exercises.ts';

const KNOWN = [{ name: 'verify-claim' }, { name: 'mine-claim' }];

const CLASS = `name: Distributed systems
timeZone: Europe/Berlin
instructors: [eve]
students:
  - { name: ann, fullName: Ann Lee, groups: [a] }
  - { name: bob }
exercises:
  - name: verify-claim
    opens: 2026-10-01T08:00
    deadline: 2026-10-15T23:59
    extensions: { a: 2026-10-17T23:59+02:00, bob: 2026-10-18T12:00 }
    late: { until: 48h, deduct: 10%, per: 24h }
  - { name: mine-claim, points: 40, submissions: { evaluated: 3, per: 1h } }
scoreboard: { visibility: ranks, freeze: 2026-10-14T12:00 }
`;

describe('the document of a class', () => {
  it('states students, exercises, deadlines and what others see', () => {
    const document = parseClass(CLASS, 'class.yaml', KNOWN);

    expect(document).toMatchObject({
      timeZone: 'Europe/Berlin',
      students: [{ groups: ['a'] }, { groups: [] }],
      exercises: [{ late: { until: 172_800, deduct: 0.1, per: 86_400 } }, { points: 40 }],
      hints: true,
      scoreboard: { visibility: 'ranks' },
    });
  });

  it.each([
    [
      'instructors: [eve]',
      'instructors: [ann]',
      /^class\.yaml:5:13: students\.0\.name must differ/,
    ],
    ['name: bob }', 'name: ann }', /6:13: students\.1\.name must differ/],
    ['name: bob }', "name: ' ann ' }", /6:13: students\.1\.name must be 1 to 64 of a-z/],
    ['name: bob }', 'name: Ann }', /6:13: students\.1\.name must be 1 to 64/],
    ['name: bob }', 'name: аnn }', /6:13: students\.1\.name must be 1 to 64/],
    ['name: bob }', `name: ${'b'.repeat(65)} }`, /6:13: students\.1\.name must be 1 to 64/],
    ['name: bob }', 'name: bob, role: instructor }', /6:18: students\.1\.role is not a known/],
    ['name: mine-claim', 'name: ../../etc/passwd', /13:13: exercises\.1\.name must be a name of/],
    ['name: mine-claim', 'name: mine-clam', /13:13: .* must be verify-claim or mine-claim/],
    ['name: mine-claim', 'name: verify-claim', /13:13: .* must not be listed twice/],
    ['Europe/Berlin', 'Europe/Bonn', /2:11: timeZone must be the name of a time zone/],
    ['2026-10-15T23:59', '2026-02-30T23:59', /10:15: exercises\.0\.deadline must be a time/],
    ['2026-10-15T23:59', '15.10.2026', /10:15: exercises\.0\.deadline must be a time/],
    ['2026-10-15T23:59', '2026-10-25T02:30', /10:15: .* it occurs twice in Europe\/Berlin/],
    ['2026-10-15T23:59', '2026-03-29T02:30', /10:15: .* clocks in Europe\/Berlin skip this time/],
    ['bob: 2026', 'zoe: 2026', /11:51: .* must be for a group or a student/],
    ['opens: 2026-10-01T08', 'opens: 2026-10-16T08', /9:12: .*opens must be before the deadline/],
    ['deduct: 10%', 'deduct: 110%', /12:33: exercises\.0\.late\.deduct must be a probability/],
    ['freeze: 2026', 'freeze: 26', /scoreboard\.freeze must be a time/],
  ])('with %j replaced by %j is refused with its place', (from, to, fault) => {
    expect(() => parseClass(CLASS.replace(from, to), 'class.yaml', KNOWN)).toThrow(fault);
  });
});

it('the example of the documents is a class', async () => {
  const text = readFileSync(new URL('../../../docs/exercises.md', import.meta.url), 'utf8');
  const [, example = ''] = /^```yaml\n(.*?)^```/ms.exec(text) ?? [];

  const { exercises } = parseClass(example, 'exercises.md', await readExercises());

  expect(exercises).toHaveLength(4);
});
