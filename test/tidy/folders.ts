/**
 * @module
 * The rules for folders, and the folders that do not keep them yet. Each list must become empty. A test
 * fails when a folder in a list keeps the rule, so that the lists only shrink.
 */

/** A folder with sources contains at most this many files. Its subfolders are counted apart. */
export const FOLDER_FILES_MAX = 20;

/** Folders with more files. */
export const STILL_LARGE: readonly string[] = [];

/** Pairs of folders side by side that import each other. */
export const STILL_CIRCULAR: readonly string[] = [];

/** Folders below src and server without a file whose `@module` comment says "This folder …". */
export const STILL_WITHOUT_PURPOSE: readonly string[] = [];
