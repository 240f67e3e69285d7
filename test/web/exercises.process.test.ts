/**
 * @module
 * The exercises in the browser: a student opens one, starts it, submits a wrong answer and sees what is missing.
 */

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { parseClass } from '../../src/exercise/reading.ts';
import { readExercises } from '../../src/runtime/files/exercises.ts';
import { HOSTILE_STATEMENT } from '../exercise/hostile-markdown.ts';
import { browserLab, hasBrowser } from './browser.ts';
import { expectNoAttack, forbidAttacks } from './every-view/hostile.ts';
import { expectLinesAccepted, expectNoFaults } from './every-view/inspection.ts';

describe.skipIf(!hasBrowser)('the exercises', () => {
  const browser = browserLab();

  it('are listed, started and graded, with what is missing', async () => {
    const { page } = await browser.open('#/exercises');
    await page.getByRole('link', { name: /^Spoof COORDINATOR/ }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Policy of claims').click();
    await page.locator('.instance').getByText('policy', { exact: true }).waitFor();
    const election = page.locator('.instance').getByRole('link').first();
    await election.waitFor();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.grade').getByText('not correct').waitFor();
    await page.locator('details .findings').waitFor({ state: 'attached' });

    await expect.poll(() => page.locator('.grade .findings').innerText()).toContain('0 points');
    await expectNoFaults(page);
    await expectLinesAccepted(page);
    await election.click();
    await page.getByRole('heading', { name: 'Space-time diagram' }).waitFor();
    await page.goto(`${browser.lab.url}/#/exercises`);
    await page.getByRole('cell', { name: 'tried', exact: true }).waitFor();

    await page.getByRole('link', { name: /^Implement Chang and Roberts/ }).click();
    await page.getByText('Hand it in to your instructor').waitFor();
    await expect.poll(() => page.locator('.commands').innerText()).toContain('start');
    expect(await page.locator('.commands').innerText()).not.toContain('submi');
  });
});

describe.skipIf(!hasBrowser)('the answer to an exercise', () => {
  const browser = browserLab();

  it('is a form with all members, which the JSON has as well', async () => {
    const { page } = await browser.open('#/exercises/calm-storm');
    const form = page.getByRole('form', { name: 'Answer' });
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('given.changesMin').first().waitFor();
    const names = await page.locator('.instance .copied-name').allInnerTexts();
    expect(names).toContain('given.changesMin');
    expect(names).toEqual([...new Set(names)]);
    expect(await page.locator('.instance dt').allInnerTexts()).not.toContain('given');
    const crash = form.getByRole('group', { name: 'Crashes 1', exact: true });
    await crash.getByLabel('Rank').fill('7');
    await crash.getByLabel('From').fill('10');
    await crash.getByLabel('To', { exact: true }).fill('20');
    await form.getByRole('button', { name: 'Add to Crashes' }).press('Enter');
    await form.getByRole('group', { name: 'Crashes 2' }).waitFor();
    await form.getByLabel('Defences').fill('incumbency\nback-off');
    await expectNoFaults(page);

    await form.getByRole('button', { name: 'JSON', exact: true }).click();
    const json = form.getByLabel('Answer (JSON)');
    expect(JSON.parse(await json.inputValue())).toEqual({
      type: 'scenario',
      crashes: [
        { rank: 7, from: 10, to: 20 },
        { rank: null, from: null, to: null },
      ],
      pauses: [{ rank: null, from: null, to: null }],
      ...{ defences: ['incumbency', 'back-off'], changes: [], resource: 'unfenced' },
    });
    await json.fill('{"type":"scenario"');
    await form.getByRole('button', { name: 'Form', exact: true }).click();
    await form.getByRole('alert').waitFor();
    await json.fill('{"type":"scenario","changes":[4,5],"crashes":[]}');
    await form.getByRole('button', { name: 'Form', exact: true }).click();

    expect(await form.getByLabel('Changes').inputValue()).toBe('4\n5');
    await form.getByRole('button', { name: 'Submit' }).click();
    await page.locator('.grade').getByText('not correct').waitFor();
  });

  it('is a form of the settings that the goal asks for', async () => {
    const { page } = await browser.open('#/exercises/depose-leader');
    const form = page.getByRole('form', { name: 'Answer' });

    await form.getByLabel('Plain to').fill('400');
    await form.getByLabel('Pre vote to').fill('400');
    await form.getByLabel('Flags').selectOption('preVote');
    await expectNoFaults(page);
    await form.getByRole('button', { name: 'Submit' }).click();

    await page.locator('.grade').getByText('not correct').waitFor();
    await expect
      .poll(() => page.locator('.grade .findings').innerText())
      .toContain('without flags the leader survives a cut until tick 400');
  });

  it.each([
    ['mine-claim', { claim: CLAIM }],
    ['break-xor-puzzle', { claims: [CLAIM] }],
  ])('to %s is a form of claims, which the server reads', async (name, { ...given }) => {
    const { page } = await browser.open(`#/exercises/${name}`);
    const form = page.getByRole('form', { name: 'Answer' });
    await form.getByLabel('Scheme').selectOption(CLAIM.scheme);
    await form.getByLabel('Public key').fill(CLAIM.publicKey);
    await form.getByLabel('Node ID').fill(CLAIM.nodeId);
    await form.getByLabel('Signature').fill(CLAIM.signature);
    await page.reload();
    await form.getByRole('button', { name: 'JSON', exact: true }).click();
    const json = JSON.parse(await form.getByLabel('Answer (JSON)').inputValue());
    await form.getByRole('button', { name: 'Submit' }).click();
    await page.locator('.grade').getByText('not correct').waitFor();

    expect(json).toMatchObject(given);
    await page.reload();
    await page.locator('details[open] .findings').waitFor();
    expect(await form.getByLabel('Node ID').inputValue()).toBe(CLAIM.nodeId);
  });

  it('names the member that the server refuses', async () => {
    const { page, expects } = await browser.open('#/exercises/predict-cost');
    expects(/status of 400/);

    await page.getByLabel('Number', { exact: true }).fill('many');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();

    await page.getByRole('alert').getByText('must be a number from 0').waitFor();
    await page.getByLabel('Number', { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.grade').getByText('not correct').waitFor();
  });

  it('starts with the button alone, and is kept until it is correct', async () => {
    const { page } = await browser.open('#/exercises/predict-cost?started=yes');
    const number = page.getByLabel('Number', { exact: true });
    const starts: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/instances')) starts.push(request.method());
    });
    await page.reload();
    await number.fill('1');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.grade').getByText('not correct').waitFor();
    expect(starts).toEqual([]);

    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.instance').waitFor();
    await page.reload();
    const [c1 = 0, c2 = 0, identities = 0] = await Promise.all(
      ['c1', 'c2', 'identities'].map(async (member) => {
        const row = page.locator('.instance .copied', { hasText: `given.${member}` });
        return Number(await row.locator('code').first().innerText());
      }),
    );
    expect(await number.inputValue()).toBe('1');
    await number.fill(String(identities * (2 ** c1 + 2 ** c2)));
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.grade').getByText('20 points in all').waitFor();
    await page.reload();
    await page.locator('details[open] .findings').waitFor();
    expect(starts).toEqual(['POST', 'POST', 'POST']);
    expect(await number.inputValue()).toBe('');
  });
});

const CLAIM = {
  scheme: 'ed25519',
  publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  nodeId: '21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9',
  solution: null,
  signature:
    '7c5e2b4be3690dd1c28fdabcc0cf566d693debf602d22c849481d385297057635e240470fe2b24751032aa06742d66ccd01d08cd176992391e83da9208b9140a',
};

/** The number of rows that a table shows at first. */
const OTHERS = Array.from({ length: 20 }, (_, index) => `, { name: s${index} }`).join('');

const CLASS = `name: Distributed systems
timeZone: Asia/Kolkata
instructors: [eve]
students: [{ name: ann, groups: [a] }, { name: bob, fullName: '<img src=x onerror=attacked()>' }, { name: cem }${OTHERS}]
exercises:
  - { name: predict-cost, deadline: 2126-10-10T00:00Z }
  - { name: worst-ring }
  - { name: hostile }
`;

describe.skipIf(!hasBrowser)('the exercises of a class', async () => {
  const codes = new Map<string, string>();
  const exercises = await readExercises();
  const statement = HOSTILE_STATEMENT;
  const hostile = exercises
    .filter(({ name }) => name === 'predict-cost')
    .map((exercise) => ({ ...exercise, name: 'hostile', title: 'Hostile', statement }));
  const browser = browserLab({
    exercises: [...exercises, ...hostile],
    class: {
      document: parseClass(CLASS, 'class.yaml', [...exercises, ...hostile]),
      deliver: async (issued) => {
        for (const { name, code } of issued) codes.set(name, code);
      },
    },
  });

  /** A page of a member that has joined with its code, and its token. */
  const join = async (name: string) => {
    const { page, expects } = await browser.open('#/exercises');
    expects(/status of 401/);
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    const code = codes.get(name) ?? '';
    await page.getByLabel('Class code', { exact: true }).fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Scoreboard' }).waitFor();
    const token = await page.locator('.own-token code').first().innerText();
    return { page, token, secrets: { code, token }, urls };
  };

  const call = (token: string, method: string, path: string, body?: object) =>
    fetch(`${browser.lab.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  it('begin with a class code, which signs the browser in at once and gives a token that only this tab keeps', async () => {
    const { page, token, secrets, urls } = await join('bob');

    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, document.cookie])',
    );
    const texts = [...urls, page.url(), kept].join('\n');
    for (const secret of Object.values(secrets)) expect(texts).not.toContain(secret);
    expect((await call(token, 'GET', '/v1/class')).status).toBe(200);
    await page.reload();
    await page.getByRole('heading', { name: 'Scoreboard' }).waitFor();
    expect(await page.locator('.own-token code').first().innerText()).toBe(token);

    // A statement of a hostile author is text. The page fails for a request to another host.
    await forbidAttacks(page);
    await page.getByRole('link', { name: 'Hostile' }).click();
    await page.locator('.statement').getByText('in a fence without an end').waitFor();
    await expectNoAttack(page);
    const links = await page
      .locator('.statement a')
      .evaluateAll((all) => all.map(({ href }) => href));
    expect(links).toEqual(['https://evil.example/picture.png']);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    expect(await page.locator('.statement').innerText()).not.toMatch(/[\u202e\u2066\u001b\u009b]/);
    await expectNoFaults(page);
  });

  it('show the token whole on each screen, and replace it, after which this browser is still signed in', async () => {
    const { page, token } = await join('cem');
    const widths = await Promise.all(
      [1280, 390].map(async (width) => {
        await page.setViewportSize({ width, height: 844 });
        return page
          .locator('.own-token code')
          .first()
          .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      }),
    );
    page.on('dialog', (dialog) => void dialog.accept());

    await page.getByRole('button', { name: 'Replace it' }).click();

    const shown = () => page.locator('.own-token code').first().innerText();
    await expect.poll(shown).not.toBe(token);
    expect(widths).toEqual([0, 0]);
    expect((await call(token, 'GET', '/v1/class')).status).toBe(401);
    expect((await call(await shown(), 'GET', '/v1/class')).status).toBe(200);
    await page.reload();
    await page.getByRole('heading', { name: 'Scoreboard' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate<number>('sessionStorage.length')).toBe(0);
  });

  it('say for a wrong code what is wrong with it', async () => {
    const { page, expects } = await browser.open('#/exercises');
    expects(/status of 401/);
    await page.getByLabel('Class code', { exact: true }).fill('aaaa-bbbb-cccc-dddd');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page
      .getByText('The code or token is not known, is no longer valid, or has been used')
      .waitFor();
    await page.getByText('Wrong code.').waitFor();
  });

  it('have deadlines, hints that cost points and a scoreboard, and show instructors the progress', async () => {
    const { page, token } = await join('ann');
    await page.getByText('10 Oct 2126, 05:30:00').waitFor();
    await page.getByRole('columnheader', { name: 'Deadline (Asia/Kolkata)' }).waitFor();
    await page.locator('.scoreboard').getByText('ann (you)').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    const cut = await page
      .getByRole('navigation', { name: 'Views' })
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(cut).toBe(0);
    expect(await page.getByRole('heading', { name: 'Progress' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Predict the cost of identities' }).click();
    await page.getByRole('button', { name: 'Take this hint (2 points)' }).click();
    await page.getByText('A digest begins with c zero bits').waitFor();
    await page.getByLabel('Number', { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.grade').getByText('not correct').waitFor();
    expect(await page.getByRole('heading', { name: 'Suspicions' }).count()).toBe(0);
    await expectNoFaults(page);

    const { page: teacher, token: ofTeacher } = await join('eve');
    teacher.on('dialog', (dialog) => void dialog.accept());
    const other = { type: 'grade', student: 'bob', exercise: 'predict-cost', points: 1 };
    await call(ofTeacher, 'POST', '/v1/class/decisions', other);
    await forbidAttacks(teacher);
    const row = teacher.locator('.class-progress tr', { hasText: 'ann' });
    await row.getByText('(1)').waitFor();
    await teacher.getByText('Distributed systems: you are an instructor.').waitFor();
    const standings = teacher.locator('.scoreboard tbody tr');
    await expect.poll(() => standings.count()).toBe(20);
    await teacher.getByRole('button', { name: 'Show all 23' }).last().click();
    await expect.poll(() => standings.count()).toBe(23);
    const heights = await teacher
      .locator('.class-progress th button')
      .evaluateAll((all) => all.map(({ offsetHeight }) => offsetHeight));
    expect(new Set(heights).size).toBe(1);
    await row.getByRole('button', { name: 'ann' }).click();
    await expect.poll(() => focusedLabel(teacher)).toBe('Work of ann');
    await expectNoFaults(teacher);
    await row.getByRole('button', { name: 'ann' }).click();
    await expect.poll(() => focusedLabel(teacher)).toBe('Work of ann');
    await teacher.getByLabel('Points (empty: those of the submissions)').fill('15');
    await teacher.getByLabel('Comment for the student').fill('oral exam');
    await teacher.getByRole('button', { name: 'Decide' }).click();
    await row.getByText('15 (1)').waitFor();
    await teacher.getByText(/predict-cost: 15 points; by eve, .*; "oral exam"/).waitFor();
    await expectNoFaults(teacher);
    await page.reload();
    await page.getByText('Your instructor has set 15 points. “oral exam”').waitFor();
    await page.getByText('A digest begins with c zero bits').waitFor();
    await teacher.getByRole('combobox', { name: /^Exercise/ }).selectOption('worst-ring');
    await teacher.getByLabel('Points (empty: those of the submissions)').fill('7');
    await teacher.getByRole('button', { name: 'Decide' }).click();
    await row.getByText('7 (0)', { exact: true }).waitFor();
    await page.goto(`${browser.lab.url}/#/exercises`);
    await page.getByRole('cell', { name: 'graded by hand' }).waitFor();
    const numbers = await teacher
      .locator('.student-work ol li')
      .evaluateAll((all) => all.map((item) => item.getAttribute('value')));
    expect(numbers).toEqual(['3', '2']);
    await teacher.getByRole('button', { name: 'Undo decision 3' }).click();
    await row.getByText('7 (0)', { exact: true }).waitFor({ state: 'detached' });
    await teacher.getByRole('button', { name: 'Undo decision 2' }).click();
    await teacher.getByText(/predict-cost: 15 points.*undone by eve/).waitFor();
    await row.getByText('0 (1)').waitFor();
    await teacher.getByRole('region', { name: 'Statistics of all exercises' }).waitFor();
    const headings = await teacher.getByRole('heading', { level: 2 }).allInnerTexts();
    expect(headings.indexOf('Progress')).toBeLessThan(headings.indexOf('Scoreboard'));
    await solve(token);
    const solved = teacher.locator('.solves li', { hasText: 'ann solved predict-cost.' });
    const time = (await solved.locator('time').getAttribute('datetime')) ?? '';
    // The class is five and a half hours ahead of UTC.
    const there = new Date(Date.parse(time) + 5.5 * 3600 * 1e3).toISOString().slice(11, 19);
    expect(await solved.innerText()).toContain(`, ${there}: `);
    await teacher.getByRole('heading', { name: 'Solves (times in Asia/Kolkata)' }).waitFor();
    await teacher.getByRole('columnheader', { name: 'Solved (Asia/Kolkata)' }).waitFor();
    await row.getByText('✓ 18 (2)').waitFor();
    const downloads = await downloadedFrom(teacher);
    expect(downloads['grades.csv']).toContain('ann,,a,18,,,18');
    expect(downloads['ctfd-users.csv']).toContain('ann,ann@example.invalid');
    expect(downloads['ctfd-challenges.csv']).toContain('Predict the cost of identities,mining');

    await teacher.getByRole('button', { name: 'New class code' }).click();
    await teacher.locator('.student-work code').waitFor();
    expect((await call(token, 'GET', '/v1/class')).status).toBe(401);
    await teacher.getByRole('button', { name: 'Reset predict-cost …' }).click();
    await row.getByRole('cell', { name: '–', exact: true }).nth(1).waitFor();
    await expectNoAttack(teacher);
    await teacher.getByRole('link', { name: 'Predict the cost of identities' }).click();
    await teacher.getByText('There are none: no submission has data of another student.').waitFor();
  });

  /** Solves predict-cost as a student. */
  async function solve(token: string): Promise<void> {
    const path = '/v1/exercises/predict-cost';
    const instance = await call(token, 'POST', `${path}/instances`);
    // By the contract.
    const { given } = (await instance.json()) as {
      given: Record<'c1' | 'c2' | 'identities', number>;
    };
    const number = given.identities * (2 ** given.c1 + 2 ** given.c2);
    const answer = await call(token, 'POST', `${path}/submissions`, { type: 'number', number });
    expect(answer.status).toBe(200);
  }
});

/** The name of the element that has the focus. */
function focusedLabel(page: Page): Promise<string | null> {
  return page.evaluate<string | null>("document.activeElement?.getAttribute('aria-label') ?? null");
}

/** The files that the page offers to instructors, by name. */
async function downloadedFrom(page: Page): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const name of ['Grades', 'CTFd users', 'CTFd challenges']) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ]);
    files[download.suggestedFilename()] = await readFile(await download.path(), 'utf8');
  }
  return files;
}
