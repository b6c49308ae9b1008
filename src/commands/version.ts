import meta from '../../package.json' with { type: 'json' };

/** Of this loadline. */
export const version: string = meta.version;
/** What it is, in a line. */
export const description: string = meta.description;
