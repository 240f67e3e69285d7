/**
 * @module
 * The progress of long work.
 */

interface ProgressProps {
  readonly label: string;
  readonly done: number;
  /** Null if it is not known. */
  readonly total: number | null;
  readonly note?: string;
}

export function Progress({ label, done, total, note }: ProgressProps) {
  const share = total === null || total <= 0 ? null : Math.min(1, done / total);
  return (
    <div class="progress">
      <progress aria-label={label} max={1} {...(share === null ? {} : { value: share })} />
      <span class="progress-note">
        {note ?? (share === null ? '' : `${Math.floor(100 * share)} %`)}
      </span>
    </div>
  );
}
