import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** Waits until a change would give a folder another time: a file system may give the same to changes close together. */
export function letTimePass(folder: string): void {
  const { ctimeNs } = statSync(folder, { bigint: true });
  const other = `${folder}-time`;
  do {
    writeFileSync(other, '');
    rmSync(`${other}-moved`, { force: true });
    renameSync(other, `${other}-moved`);
  } while (statSync(`${other}-moved`, { bigint: true }).ctimeNs <= ctimeNs);
}
