/**
 * Keyed random streams. A draw is addressed by (seed, stream, class) and then by (seq, attempt):
 * a draw that is added, skipped or repeated moves no other draw, so two policies that are compared
 * meet exactly the same work, and a retry does not shift the next arrival.
 *
 * The generator is sfc32 (Chris Doty-Humphrey, PractRand), seeded through the 32-bit finaliser of
 * MurmurHash3. Of the platform's functions only `Math.log`, `Math.exp` and `Math.sqrt` are used:
 * trigonometry has changed its last bits between releases of V8, and a digest must not.
 */

/** A place in the space of streams: 64 bits in two halves. */
export interface StreamKey {
  readonly high: number;
  readonly low: number;
}

/** Draws from one place of one stream, in order. */
export interface Rng {
  /** Uniform on the open interval (0, 1), with 52 bits. */
  uniform(): number;
  /** Exponential with mean 1. */
  exponential(): number;
  /** Normal with mean 0 and standard deviation 1. */
  normal(): number;
  /** Gamma with mean 1 and the given shape (> 0); shape 1 is exponential. */
  gamma(shape: number): number;
}

/** A generator that is moved from place to place instead of being made anew for each draw. */
export interface KeyedRng extends Rng {
  /** Goes to (seq, attempt) of a stream; what was drawn before leaves no trace. */
  moveTo(key: StreamKey, seq?: number, attempt?: number): this;
}

/** Rounds that spread a change of one bit of the key over the whole state (PractRand uses 12). */
const WARM_UP_ROUNDS = 12;

function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function hashText(text: string, start: number): number {
  let h = start | 0;
  for (let i = 0; i < text.length; i++)
    h = mix(h ^ text.charCodeAt(i) ^ Math.imul(i + 1, 0x9e3779b9));
  return mix(h ^ text.length);
}

/**
 * The key of a stream.
 * @param seed a whole number, 0 to 2^53 - 1
 * @param stream what is drawn, e.g. `gap` or `service`
 * @param name whose draws they are: a class, or an arrival process
 */
export function streamKey(seed: number, stream: string, name = ''): StreamKey {
  const seedHigh = Math.floor(seed / 2 ** 32) | 0;
  const seedLow = seed | 0;
  const high = hashText(name, hashText(stream, mix(seedHigh ^ 0x243f6a88) ^ seedLow));
  const low = hashText(stream, hashText(name, mix(seedLow ^ 0x13198a2e) ^ seedHigh));
  return { high, low };
}

/** The seed of replication `k` of a run: replication 0 is the seed itself. */
export function replicationSeed(seed: number, k: number): number {
  if (k === 0) return seed;
  const key = streamKey(seed, 'replication', String(k));
  return (key.high >>> 11) * 2 ** 32 + (key.low >>> 0);
}

/** The draws at (seq, attempt) of a stream. */
export function drawsAt(key: StreamKey, seq = 0, attempt = 0): Rng {
  return new Sfc32().moveTo(key, seq, attempt);
}

/** A generator for hot loops, to be moved before each use. */
export function movableDraws(): KeyedRng {
  return new Sfc32();
}

class Sfc32 implements KeyedRng {
  private a = 0;
  private b = 0;
  private c = 0;
  private counter = 1;

  moveTo(key: StreamKey, seq = 0, attempt = 0): this {
    // Each step can be undone, so two places never share a state.
    let a = key.high | 0;
    let b = key.low | 0;
    let c = mix(seq ^ b);
    let counter = mix(attempt ^ ((seq / 2 ** 32) | 0)) ^ c;
    // The rounds of `next`, on locals: a schedule moves once for each draw.
    for (let i = 0; i < WARM_UP_ROUNDS; i++) {
      const t = (((a + b) | 0) + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + t) | 0;
    }
    this.a = a;
    this.b = b;
    this.c = c;
    this.counter = counter;
    return this;
  }

  private next(): number {
    const t = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + t) | 0;
    return t;
  }

  uniform(): number {
    const high = this.next() >>> 6;
    const low = this.next() >>> 6;
    // Half a step above a grid of 2^52: exact in a double, never 0, never 1.
    return (high * 2 ** 26 + low + 0.5) / 2 ** 52;
  }

  exponential(): number {
    return -Math.log(this.uniform());
  }

  /** Marsaglia's polar method. */
  normal(): number {
    for (;;) {
      const x = 2 * this.uniform() - 1;
      const y = 2 * this.uniform() - 1;
      const square = x * x + y * y;
      if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
    }
  }

  gamma(shape: number): number {
    return this.gammaUnscaled(shape) / shape;
  }

  /** Marsaglia and Tsang (2000); below shape 1 boosted by a power of a uniform. */
  private gammaUnscaled(shape: number): number {
    if (shape < 1) {
      const boost = Math.exp(Math.log(this.uniform()) / shape);
      return this.gammaUnscaled(shape + 1) * boost;
    }
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const root = 1 + c * x;
      if (root <= 0) continue;
      const v = root * root * root;
      if (Math.log(this.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }
}
