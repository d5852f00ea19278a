import { isOnPostgres } from './storage';

/** A preset on files, and whether access is controlled by Access Control Policy: otherwise by Web Access Control. */
type Preset = [ config: string, isAcp: boolean ];

const wac: Preset = [ 'file.json', false ];
const acp: Preset = [ 'file-acp.json', true ];

/**
 * Presets for suites about access: on files, `npm test` runs them with Web Access Control, `npm run test:apart` with
 * Access Control Policy; on PostgreSQL, they run with each.
 */
export const presets = isOnPostgres ? [ wac, acp ] : [ process.env.TEST_ACCESS_CONTROL === 'acp' ? acp : wac ];
