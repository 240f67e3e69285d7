/**
 * @module
 * Files that the browser saves: results of the server in the form that Accept names, and what the page made itself.
 */

import { useSignal } from '@preact/signals';

import { fetchFromServer, ProblemError, problemFrom } from '../api/client.ts';
import { ErrorNotice } from './notice.tsx';

/** A file that can be saved. */
export interface DownloadedFile {
  readonly label: string;
  readonly name: string;
  /** Throws ProblemError and LostServerError. */
  readonly read: () => Blob | Promise<Blob>;
}

/** Buttons that save files, and why one could not be read. */
export function Downloads({ files }: { readonly files: readonly DownloadedFile[] }) {
  const error = useSignal<unknown>(null);
  const save = async ({ name, read }: DownloadedFile) => {
    error.value = null;
    try {
      saveBlob(name, await read());
    } catch (failure) {
      error.value = failure;
    }
  };
  return (
    <>
      {files.map((file) => (
        <button key={file.label} type="button" onClick={() => void save(file)}>
          {file.label}
        </button>
      ))}
      <ErrorNotice error={error.value} />
    </>
  );
}

/** A result of the server in this media type. Throws ProblemError and LostServerError. */
export async function readResult(path: string, type: string): Promise<Response> {
  const response = await fetchFromServer(path, { headers: { Accept: type } });
  if (!response.ok) throw new ProblemError(await problemFrom(response));
  return response;
}

function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), URL_KEPT_MS);
}

/** The browser begins to read the file within this time. */
const URL_KEPT_MS = 1_000;
