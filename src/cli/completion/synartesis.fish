# What makes fish complete the commands of synartesis. It asks the program itself, so that it needs no renewal.
function __synartesis_complete
    set -l typed (commandline -ct)
    set -l words (commandline -opc)
    set -l lines (@PROGRAM@ completions fish -- $words[2..-1] "$typed" 2>/dev/null)
    set -q lines[1]; or return
    set -l head (string split -m 1 ' ' -- $lines[1])
    set -l value (string sub -s (math 1 + (string length -- "$head[2]")) -- "$typed")
    for line in $lines[2..-1]
        echo -- $head[2]$line
    end
    switch $head[1]
        case files
            for line in (__fish_complete_path "$value")
                echo -- $head[2]$line
            end
        case folders
            for line in (__fish_complete_directories "$value")
                echo -- $head[2]$line
            end
        case programs
            complete -C "$value"
    end
end
complete -c synartesis -f -a '(__synartesis_complete)'
