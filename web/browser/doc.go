// Package browser tests the page of package web in Chromium, as a visitor has it. It is a
// module of its own, so that programs that import simdb need not have what drives a browser.
//
// Where there is no Chromium the tests are skipped and say so; where CI is set they fail.
package browser
