import { exportAudit } from '../../operations/AuditExport';
import type { Command, CommandCall } from './Command';
import { exitCodes } from './Command';
import { findMoment } from './options';

/** Verifies the audit chain. */
export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'Finds any edited, removed or reordered row of the audit record.',
  details: `Names the first bad row and exits with ${exitCodes.finding}; exits with 0 if the chain is whole.
Keep the number of rows and the last hash apart from the records: they reveal that an older state was restored.`,
  run: async({ open, print }): Promise<number | undefined> => {
    const { records } = await open();
    const { rows, end, findings: [ finding ] } = await records.audit.check(1);
    if (finding) {
      await print(`The audit record is not intact. Row ${finding.sequence}: ${finding.problem}.`);
      return exitCodes.finding;
    }
    await print(`The audit record is intact: ${rows} rows, the last hash is ${end.hash}.`);
  },
};

/** Exports the audit record. */
export const auditExport: Command = {
  name: 'audit export',
  summary: 'Writes the audit record as NDJSON, one row per line.',
  details: `Without --with-identities, personal data is ciphertext, with a key id for each person.
Rows about erased citizens name nobody in either case.`,
  options: {
    from: { value: 'time', describe: 'Start of the period, inclusive: a date in UTC, or a date and time with offset.' },
    to: { value: 'time', describe: 'End of the period, exclusive.' },
    'with-identities': { describe: 'Names persons, and writes an audit row. The output is personal data.' },
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
