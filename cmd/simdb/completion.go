package main

// The command completion. It writes a script with which bash and other shells
// complete the command lines of simdb.

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

var completed = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write the script that completes command lines in a shell",
		Long: `Write the script that completes the command lines of simdb, for bash, zsh, fish
or powershell. The shell has to load it. In bash and in fish, for this session:

  source <(simdb completion bash)
  simdb completion fish | source`,
		Args:      command.Args(1, 1),
		ValidArgs: completed,
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return exit.Usagef("unknown shell %q; use one of %s", args[0], strings.Join(completed, ", "))
		},
	}
}
