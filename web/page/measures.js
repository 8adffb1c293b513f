// What the measures are called here; the language's word stands behind.

const titles = {
  jaccard: "Shared shingles", "containment(of='query')": "Share of the query in others", "containment(of='doc')": "Share of others in the query",
  dice: "Shared shingles, counted twice", overlap: "Share of the smaller in the other", multiset: "Counted shingles", repetition: "Repetitions", tversky: "Weighed differences",
  simhash: "Fingerprints", patricia: "Common passages", coverage: "Covered by passages", versions: "Sentences in common", entities: "Names in common",
  weighted: "Rare shingles", quotes: "Quotations", words: "Word frequencies", si: "Similarity index",
};

// titled is the name of a measure for people; arguments may stand behind its word.
export const titled = (measure) => titles[measure] ?? titles[measure.replace(/, .*\)$/s, ")")] ?? titles[measure.replace(/\(.*$/s, "")] ?? measure;

// both is the name with the word behind it.
export const both = (measure) => titled(measure) === measure ? measure : measure.length > 10 ? titled(measure) : `${titled(measure)} (${measure})`;
