// Titles of the measures, with the words of the language after them.

const titles = {
  jaccard: "Shared shingles", "containment(of='query')": "Share of the query in others", "containment(of='doc')": "Share of others in the query",
  dice: "Shared shingles, counted twice", overlap: "Share of the smaller text found in the other", multiset: "Counted shingles", repetition: "Repetitions", tversky: "Weighed differences",
  simhash: "Fingerprints", patricia: "Common passages", coverage: "Covered by passages", versions: "Sentences in common", entities: "Names in common",
  weighted: "Rare shingles", quotes: "Quotations", words: "Word frequencies", si: "Similarity index",
};

// titled returns the title of a measure, with or without arguments.
export const titled = (measure) => titles[measure] ?? titles[measure.replace(/, .*\)$/s, ")")] ?? titles[measure.replace(/\(.*$/s, "")] ?? measure;

// inWords returns the name of a measure within a sentence.
export const inWords = (measure) => measure === "overlap" ? "share of the smaller text found in the other" : `measure “${titled(measure)}”`;

// both returns the title with the word of the language.
export const both = (measure) => titled(measure) === measure ? measure : measure.length > 10 ? titled(measure) : `${titled(measure)} (${measure})`;
