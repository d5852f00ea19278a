import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** Waits until a change gives a folder a different time: file systems may give changes close together the same one. */
export function letTimePass(folder: string): void {
  const { ctimeNs } = statSync(folder, { bigint: true });
  const other = `${folder}-time`;
  do {
    writeFileSync(other, '');
    rmSync(`${other}-moved`, { force: true });
    renameSync(other, `${other}-moved`);
  } while (statSync(`${other}-moved`, { bigint: true }).ctimeNs <= ctimeNs);
}
