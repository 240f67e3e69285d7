/**
 * @module
 * Which errors of SQLite and of the file system mean a full disk.
 */

import { describe, expect, it } from 'vitest';

import { isFullDisk } from '../../../server/store/store-file.ts';

describe('a full disk', () => {
  const failed = (errcode: number) => Object.assign(new Error('disk I/O error'), { errcode });
  const SHMSIZE = 4874;

  it('is recognized where SQLite reports that a file beside the data file could not grow', () => {
    expect(isFullDisk(failed(SHMSIZE), 4096)).toBe(true);
    expect(isFullDisk(failed(SHMSIZE), 2 ** 30)).toBe(false);
    expect(isFullDisk(failed(13), 2 ** 30)).toBe(true);
    expect(isFullDisk(Object.assign(new Error('no space'), { code: 'ENOSPC' }), 0)).toBe(true);
    expect(isFullDisk(failed(1), 0)).toBe(false);
  });
});
