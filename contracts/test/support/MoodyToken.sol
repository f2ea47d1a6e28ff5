// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token that takes any authorization for valid, and whose transfers do what it is told: all that a token could do to
/// whoever pays in it.
contract MoodyToken is ERC20("Moody", "MOOD") {
    enum Mood {
        Pays,
        PaysSilently,
        Refuses,
        AnswersFalse,
        AnswersTwo,
        AnswersAByte,
        BurnsGas,
        Shouts,
        CallsBack,
        Toils
    }

    Mood public mood;
    address public moodyTowards;
    uint256 public shortfall;
    bytes private _again;
    bool public cameBack;
    bytes4 public refusal;

    /// Towards everybody else it pays.
    function feel(Mood newMood, address towards) external {
        mood = newMood;
        moodyTowards = towards;
    }

    /// What it asks of whoever pays in it, from inside the payment.
    function callBackWith(bytes calldata again) external {
        _again = again;
        cameBack = false;
        refusal = "";
    }

    function keepOfAuthorizations(uint256 newShortfall) external {
        shortfall = newShortfall;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function receiveWithAuthorization(address from, address to, uint256 value, uint256, uint256, bytes32, bytes memory)
        external
    {
        _transfer(from, to, value - shortfall);
        _callBack(to);
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        Mood now_ = to == moodyTowards ? mood : Mood.Pays;
        if (now_ == Mood.Refuses) revert("moody");
        if (now_ == Mood.AnswersFalse) return false;
        if (now_ == Mood.BurnsGas) while (true) {}
        if (now_ == Mood.Toils) _toil();
        if (now_ == Mood.AnswersTwo) _answer(2, 32);
        if (now_ == Mood.AnswersAByte) _answer(1, 1);
        if (now_ == Mood.Shouts) _answer(0, 50_000);
        _transfer(msg.sender, to, value);
        if (now_ == Mood.CallsBack) _callBack(msg.sender);
        if (now_ == Mood.PaysSilently) _answer(0, 0);
        return true;
    }

    /// Pays in the end, and needs more than 120,000 gas for it.
    function _toil() private view {
        uint256 before = gasleft();
        while (before - gasleft() < 120_000) {}
    }

    function _callBack(address target) private {
        if (_again.length == 0) return;
        bytes memory answer;
        (cameBack, answer) = target.call(_again);
        refusal = bytes4(answer);
    }

    function _answer(uint256 word, uint256 size) private pure {
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, word)
            return(free, size)
        }
    }
}
