/** Tells the time; a parameter, so that tests can choose it. */
export type Clock = () => Date;

/** Makes an identifier nobody can guess; a parameter, so that tests can choose it. */
export type NewId = () => string;

/** Seconds by which another party's clock may differ from ours. */
export const clockSkewSeconds = 60;
