import { defineScenario } from 'loadline';

/**
 * An endpoint whose memory holds eleven whole answers behind a gate that lets in 24: when
 * blocks run out the youngest is evicted and starts again from its prompt. The work that is redone
 * stands in no log of the endpoint; here it is counted. Lower the cap and goodput rises: `loadline
 * sweep memory-pressure --set gate.slots=6,8,10,12,16,24`.
 */
export default defineScenario({
  name: 'memory-pressure',
  description: 'More work is let in than the memory of the endpoint can hold to its end',
  durationS: 600,
  sloS: 60,
  seed: 1,
  arrivals: { process: 'poisson', ratePerS: 0.7 },
  classes: {
    batch: {
      kind: 'batch',
      share: 0.98,
      prompt: 'Summarise this thread.',
      inTokens: 200,
      maxTokens: 400,
      outTokens: 400,
      replay: true,
    },
    huge: {
      kind: 'batch',
      share: 0.02,
      prompt: 'Summarise this book.',
      inTokens: 8000,
      maxTokens: 400,
      outTokens: 400,
      replay: true,
    },
  },
  gate: {
    slots: 24,
    maxWaitS: 40,
    rationale: 'The SLO of 60 s less the service of 20 s.',
  },
  model: {
    service: { tokens: { prefillPerS: 2000, gapS: 0.05 } },
    preempts: { type: 'memory', blocks: 416, blockTokens: 16 },
  },
});
