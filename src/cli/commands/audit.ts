import { exportAudit } from '../../operations/AuditExport';
import type { Command, CommandCall } from './Command';
import { exitCodes } from './Command';
import { findMoment } from './options';

/** Walks the audit chain. */
export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'Finds any edited, removed or reordered row of the audit record.',
  details: `Names the first bad row and exits with ${exitCodes.finding}; exits with 0 when the chain is whole.
Keep the number of rows and the last hash apart from the records: they show whether an older state was put back.`,
  run: async({ open, print }): Promise<number | undefined> => {
    const { records } = await open();
    const { rows, end, findings: [ finding ] } = await records.audit.check(1);
    if (finding) {
      await print(`The audit record is not whole. Row ${finding.sequence}: ${finding.problem}.`);
      return exitCodes.finding;
    }
    await print(`The audit record is whole: ${rows} rows, the last hash is ${end.hash}.`);
  },
};

/** Hands the audit record out. */
export const auditExport: Command = {
  name: 'audit export',
  summary: 'Writes the audit record as NDJSON, a row a line.',
  details: `Persons are ciphertext, and a key id stands for each, unless --with-identities is given.
Rows about citizens who were erased name nobody either way.`,
  options: {
    from: { value: 'time', describe: 'The first moment: a date in UTC, or a date and time with offset.' },
    to: { value: 'time', describe: 'The moment before which it ends.' },
    'with-identities': { describe: 'Names persons, and leaves a row. Who gets the output gets personal data.' },
  },
  run: async(call: CommandCall): Promise<undefined> => {
    const selection = {
      from: findMoment(call, 'from'),
      to: findMoment(call, 'to'),
      withIdentities: call.options['with-identities'] === true,
    };
    const { records } = await call.open();
    if (selection.withIdentities) {
      const { now, operator } = call;
      await records.audit.append({ type: 'audit.exported', at: now(), personal: { operator }});
    }
    for await (const row of exportAudit(records.audit, selection)) {
      await call.print(JSON.stringify(row));
    }
  },
};
