/**
 * @module
 * Axes as they are written on a command line and in documents.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LabError } from '../../../src/errors.ts';
import { SWEEP_CELLS_MAX } from '../../../src/experiment/document/limits.ts';
import { readSetting, settingOf } from '../../../src/experiment/reading/settings.ts';
import { readAxis, readSet } from '../../../src/experiment/sweep/axes.ts';

function valuesOf(text: string): unknown {
  const set = readSet(`work=${text}`);
  return set.type === 'axis' ? set.axis.values : set.setting.text;
}

function codeOf(text: string): string {
  try {
    valuesOf(text);
  } catch (error) {
    if (error instanceof LabError) return error.code;
  }
  return 'none';
}

describe('readSet', () => {
  it.each([
    ['8,10,12', [8, 10, 12]],
    ['fresh, walk', ['fresh', 'walk']],
    ['true,false,null', [true, false, null]],
    ["'1',1", ['1', 1]],
    ['uniform:1:5,3', ['uniform:1:5', 3]],
    ['range(8,14,2)', [8, 10, 12, 14]],
    ['range(8,13,2)', [8, 10, 12]],
    ['range(3,1,-1)', [3, 2, 1]],
    ['range(0,0.3,0.1)', [0, 0.1, 0.2, 0.3]],
    ['range(2,4)', [2, 3, 4]],
    ['2^10:2^13|*2', [1024, 2048, 4096, 8192]],
    ['1000:64000|*4', [1000, 4000, 16000, 64000]],
    ['64:1|*0.25', [64, 16, 4, 1]],
  ])('reads %s as an axis', (text, values) => {
    expect(valuesOf(text)).toEqual(values);
  });

  it.each([
    ['sampled', 'work=sampled'],
    ['range(5,5,1)', 'work=5'],
    ['{attempts: 64, hashes: 3}', 'work={attempts: 64, hashes: 3}'],
    ['[bully-oneshot, cr-join]', 'work=[bully-oneshot, cr-join]'],
    ['"one, two"', 'work="one, two"'],
  ])('takes %s as a setting', (text, setting) => {
    expect(valuesOf(text)).toBe(setting);
  });

  it.each([
    ['range(1,5,0)', 'arguments'],
    ['range(1,5,-1)', 'arguments'],
    ['range(1,nan,1)', 'arguments'],
    ['range(1,inf)', 'arguments'],
    ['range(1)', 'arguments'],
    ['1:8|*1', 'arguments'],
    ['0:8|*2', 'arguments'],
    ['8:1|*2', 'arguments'],
    ['1:|*2', 'arguments'],
    ['1,1', 'arguments'],
    ['1,.nan', 'arguments'],
    ['1,"', 'arguments'],
    ['', 'arguments'],
    [`range(1,${SWEEP_CELLS_MAX + 1},1)`, 'job.size'],
    ['range(0,1e12,1)', 'job.size'],
    ['range(0,1,1e-300)', 'job.size'],
    ['1:2|*1.0000000001', 'job.size'],
  ])('refuses %s with the code %s', (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  it.each(['8,2^10:2^18|*2', '2^10:2^18|*2,8', '8,range(1,3)', 'range(1,3),8'])(
    'says that a list and a range do not mix: %s',
    (text) => {
      expect(() => valuesOf(text)).toThrow('a list and a range do not mix');
    },
  );

  it('takes as many values as a sweep has cells', () => {
    expect(valuesOf(`range(1,${SWEEP_CELLS_MAX},1)`)).toHaveLength(SWEEP_CELLS_MAX);
  });
});

describe('quantities on axes', () => {
  it.each([
    ['expect.probability=1%,0.05', [0.01, 0.05]],
    ['expect.probability=range(1%,3%,1%)', [0.01, 0.02, 0.03]],
    ['expect.probability=0.1%:10%|*10', [0.001, 0.01, 0.1]],
    ['adversaries.main.budget.cpuSeconds=90s,5m,2h', [90, 300, 7200]],
    ['adversaries.main.budget.cpuSeconds=range(1m,3m,1m)', [60, 120, 180]],
    ['adversaries.main.budget.cpuSeconds=10s:10m|*60', [10, 600]],
    ['adversaries.main.budget.attempts=1e3,2^10', [1000, 1024]],
    ['adversaries.main.rate=2^20,measured', [1_048_576, 'measured']],
    ['network.identity.c1=2^3,10', [8, 10]],
    ['faults.loss=5%,10%', ['5%', '10%']],
  ])('reads %s', (text, values) => {
    expect(readSet(text)).toMatchObject({ type: 'axis', axis: { values } });
  });

  it.each([
    ['network.honest=range(1%,3%,1%)', 'two or three numbers'],
    ['expect.probability=range(1s,3s,1s)', 'two or three numbers'],
    ['adversaries.main.budget.cpuSeconds=1min:4min|*2', 'three numbers above 0'],
    ['adversaries.main.budget.attempts=1024,2^10', 'has the value 1024 twice'],
  ])('refuses %s', (text, problem) => {
    expect(() => readSet(text)).toThrow(problem);
  });

  it('are numbers in the axes of a document', () => {
    expect(readAxis('expect.probability', ['1%', 0.05]).values).toEqual([0.01, 0.05]);
    expect(readAxis('expect.probability', '1%').values).toEqual([0.01]);
  });
});

describe('readAxis', () => {
  it.each<readonly [unknown, readonly unknown[]]>([
    [
      [1, 'two', true],
      [1, 'two', true],
    ],
    ['range(1,3)', [1, 2, 3]],
    ['1,2', [1, 2]],
    ['only', ['only']],
    [7, [7]],
  ])('reads %j of a document', (source, values) => {
    expect(readAxis('work', source).values).toEqual(values);
  });

  it('names lists and maps by their text', () => {
    expect(readAxis('work', [['raft'], [], { a: 1 }]).values).toEqual(['[raft]', '[]', '{a: 1}']);
    expect(readSet('work=[raft],[cr-join, raft]')).toEqual({
      type: 'axis',
      axis: { path: 'work', values: ['[raft]', '[cr-join, raft]'] },
    });
    expect(settingOf('work', '[cr-join, raft]')).toEqual({
      text: 'work=[cr-join, raft]',
      path: ['work'],
      value: ['cr-join', 'raft'],
    });
  });

  it('takes one list for a setting', () => {
    expect(readSet('work=[cr-join, raft]')).toMatchObject({ type: 'setting' });
  });
});

describe('settingOf', () => {
  it('is read back as the same value', () => {
    const value = fc.oneof(
      fc.string().filter((text) => !/^[[{]/.test(text)),
      fc.constantFrom('true', 'null', '1e3', ' a', 'a: b', '#', '- x', '', '0x10', '~'),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );

    fc.assert(
      fc.property(value, (each) => {
        // YAML has no other zero.
        const expected = Object.is(each, -0) ? 0 : each;
        const setting = settingOf('work', expected);

        expect(setting.value).toBe(expected);
        expect(readSetting(setting.text)).toEqual(setting);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
