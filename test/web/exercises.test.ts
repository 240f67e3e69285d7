/**
 * @module
 * The exercises in the browser: a student opens one, starts it, submits a wrong answer and sees what is missing.
 */

import { describe, expect, it } from 'vitest';

import { parseClass } from '../../src/exercise/reading.ts';
import { readExercises } from '../../src/runtime/files/exercises.ts';
import { browserLab, hasBrowser } from './browser.ts';
import { expectLinesAccepted, expectNoFaults } from './every-view/inspection.ts';

describe.skipIf(!hasBrowser)('the exercises', { timeout: 60_000 }, () => {
  const browser = browserLab();

  it('are listed, started and graded, with what is missing', async () => {
    const { page } = await browser.open('#/exercises');
    await page.getByRole('link', { name: /^Spoof COORDINATOR/ }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const election = page.locator('.instance').getByRole('link').first();
    await election.waitFor();
    await page.getByLabel('Answer (JSON)').fill('{"type":"elections"}');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.grade').getByText('not correct').waitFor();
    await page.locator('details .findings').waitFor({ state: 'attached' });

    expect(await page.locator('.grade .findings').innerText()).toContain('0 points');
    await expectNoFaults(page);
    await expectLinesAccepted(page);
    await election.click();
    await page.getByRole('heading', { name: 'Space-time diagram' }).waitFor();
    await page.goto(`${browser.lab.url}/#/exercises`);
    await page.getByRole('cell', { name: 'tried', exact: true }).waitFor();
  });
});

const CLASS = `name: Distributed systems
instructors: [eve]
students: [{ name: ann, groups: [a] }, { name: bob }]
exercises:
  - { name: predict-cost, deadline: 2126-10-10T00:00Z }
  - { name: worst-ring }
`;

describe.skipIf(!hasBrowser)('the exercises of a class', { timeout: 60_000 }, async () => {
  const codes = new Map<string, string>();
  const browser = browserLab({
    class: {
      document: parseClass(CLASS, 'class.yaml', await readExercises()),
      deliver: async (issued) => {
        for (const { name, code } of issued) codes.set(name, code);
      },
    },
  });

  /** The token of a member, and a page of its own that is signed in. */
  const join = async (name: string) => {
    const response = await fetch(`${browser.lab.url}/v1/sessions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'classCode', code: codes.get(name) }),
    });
    const { token } = (await response.json()) as { readonly token: string }; // By the contract.
    const { page, expects } = await browser.open('#/exercises');
    expects(/status of 401/);
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Scoreboard' }).waitFor();
    return page;
  };

  it('have deadlines, hints that cost points and a scoreboard, and show instructors the progress', async () => {
    const page = await join('ann');
    await page.getByText('10 Oct 2126').waitFor();
    await page.locator('.scoreboard').getByText('ann (you)').waitFor();
    expect(await page.getByRole('heading', { name: 'Progress' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Predict the cost of identities' }).click();
    await page.getByRole('button', { name: 'Take this hint (2 points)' }).click();
    await page.getByText('A digest begins with c zero bits').waitFor();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.grade').getByText('not correct').waitFor();
    expect(await page.getByRole('heading', { name: 'Suspicions' }).count()).toBe(0);
    await expectNoFaults(page);

    const teacher = await join('eve');
    const row = teacher.locator('.class-progress tr', { hasText: 'ann' });
    await row.getByText('(1)').waitFor();
    await expectNoFaults(teacher);
    await teacher.getByRole('link', { name: 'Predict the cost of identities' }).click();
    await teacher.getByText('There are none: no submission has data of another student.').waitFor();
  });
});
